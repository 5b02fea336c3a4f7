"""Neighbour: a text beside a good one is likelier to be good.

Beside means: the chunk before or after in the same document, or in the document before or after in the
same source (messages of a conversation, pages of a book). What is beside that counts half as much
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ark_tui.domain.hits import SignalInfo
from ark_tui.domain.reasons import Reason, Where
from ark_tui.index.protocols import distinct
from ark_tui.retrieval import elsewhere
from ark_tui.retrieval.state import Candidates, Proposal, Search, Signal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.domain.reasons import Reasons
    from ark_tui.store.found import Found

SEEDS = 50  # candidates whose neighbours become candidates
TELLING = 0.15  # share of the value from which on a text beside is a reason for it
SIDES: tuple[Where, Where] = ("previous", "next")
NEXT = 0.5  # what the text two further counts for, against the one beside

INFO = SignalInfo(
    "neighbour",
    "n",
    "structure",
    "How well the text just before or after it did, in its document or its conversation.",
)


def propose(search: Search, _: int) -> Proposal:
    """The neighbours of the best candidates."""
    index, so_far = search.index, search.so_far
    if index is None or so_far is None or search.candidates is None:
        return Proposal(np.empty(0, np.int64), np.empty(0, np.int64))
    seeds = search.candidates.chunks[np.argsort(-so_far, kind="stable")[:SEEDS]]
    beside = distinct(index.beside(seeds))
    chunks, documents = index.let_through(beside[beside >= 0], search.filters)
    return Proposal(chunks, documents)


def values(search: Search, candidates: Candidates) -> NDArray[np.float64]:
    """The better of the two neighbours' scores so far, and of the two beyond, in the mean by their weight.

    Its own score for a chunk that has no neighbour.
    """
    index, so_far = search.index, search.so_far
    if index is None or so_far is None:
        return np.zeros(len(candidates))
    beside = index.beside(candidates.chunks)
    where = np.searchsorted(candidates.chunks, beside).clip(max=len(candidates) - 1)
    one = np.where((beside >= 0) & (candidates.chunks[where] == beside), where, -1)
    two = np.where(one >= 0, one[one, (0, 1)], -1)  # before the one before, after the one after
    score = np.append(so_far, 0.0)  # by −1: of none
    best: NDArray[np.float64] = (score[one].max(axis=1) + NEXT * score[two].max(axis=1)) / (1 + NEXT)
    return np.where((beside >= 0).any(axis=1), best, so_far)


def reasons(search: Search, candidates: Candidates, found: Sequence[Found]) -> list[Reasons]:
    """The text before and the one after, each by what the value would lose if it were not there."""
    del found
    lines = [_Line(search, int(number)) for number in candidates.chunks]
    shown = elsewhere.passages(search, [side[0] for line in lines for side in line.sides if side[0] >= 0])
    return [_said(search, line, shown) for line in lines]


def _said(search: Search, line: _Line, shown: Mapping[int, Found]) -> Reasons:
    """What is said of the texts beside one, those first that matter more.

    Without one of them all scores would be others, since they are shares of the best: what would be lost
    counts only for one that has a word of the query, and from a share of the value on.
    """
    if line.alone:
        return (Reason("passage", "", "", "alone", line.value),)
    sides = [(where, line.sides[side][0], line.lost(side)) for side, where in enumerate(SIDES)]
    reasons = []
    for where, number, lost in sorted(sides, key=lambda side: -side[2]):
        if number in shown and line.known(number):
            beside, word = shown[number], elsewhere.word(search, shown[number])
            counts = bool(word) and lost >= TELLING * line.value
            source = elsewhere.source(beside)
            title = beside.document.title
            reasons.append(Reason("passage", word, title, where, lost if counts else 0.0, source=source))
    return tuple(reasons)


class _Line:
    """The three texts before one, nearest first, and the three after it, with their scores so far."""

    def __init__(self, search: Search, number: int) -> None:
        self._search, self._number = search, number
        self.sides = [self._walk(side) for side in (0, 1)]

    def _walk(self, side: int) -> list[int]:
        index, at = self._search.index, self._number
        found: list[int] = []
        while index is not None and len(found) < 3 and at >= 0:
            at = int(index.beside(np.array([at], np.int64))[0, side])
            found.append(at)
        return [*found, -1, -1, -1][:3]

    @property
    def alone(self) -> bool:
        """Whether nothing stands beside it."""
        return all(line[0] < 0 for line in self.sides)

    @property
    def value(self) -> float:
        """As `values` has it."""
        return self._value(self.sides)

    def lost(self, side: int) -> float:
        """What the value would lose without the nearest on one side, where the others close up."""
        rest = [line[1:] if at == side else line for at, line in enumerate(self.sides)]
        return self.value - self._value(rest)

    def _value(self, sides: Sequence[Sequence[int]]) -> float:
        """The same with these texts on either side."""
        if all(line[0] < 0 for line in sides):
            return self._score(self._number)
        one = [self._score(line[0]) for line in sides]
        two = [self._score(line[1]) if self.known(line[0]) else 0.0 for line in sides]
        return (max(one) + NEXT * max(two)) / (1 + NEXT)

    def _score(self, number: int) -> float:
        so_far, place = self._search.so_far, self._place(number)
        return float(so_far[place]) if so_far is not None and place >= 0 else 0.0

    def known(self, number: int) -> bool:
        """Whether a text is among the candidates."""
        return self._place(number) >= 0

    def _place(self, number: int) -> int:
        """Where a text is among the candidates; −1 where it is none."""
        known = self._search.candidates
        if known is None or number < 0:
            return -1
        place = int(known.chunks.searchsorted(number))
        return place if place < len(known) and known.chunks[place] == number else -1


def against_best(raw: NDArray[np.float64]) -> NDArray[np.float64]:
    """Score / best score."""
    best = raw.max(initial=0.0)
    return raw / best if best > 0 else raw


SIGNAL = Signal(
    INFO,
    "vectors",
    propose,
    values,
    normalise=against_best,
    rrf=against_best,
    stage="structure",
    order=100,
    reasons=reasons,
)
