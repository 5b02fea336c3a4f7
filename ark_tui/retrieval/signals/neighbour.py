"""Neighbor score: a text next to a relevant one is more likely to be relevant.

A neighbor is the previous or next chunk of the same document, or of the adjacent document in the same source
(messages of a conversation, pages of a book). The neighbor's neighbor has half the weight.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ark_tui.domain.hits import SignalInfo
from ark_tui.index.protocols import distinct
from ark_tui.retrieval import evidence
from ark_tui.retrieval.fusion import share_of_best
from ark_tui.retrieval.state import Candidates, Proposal, Search, Signal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.domain.reasons import Reasons, Where
    from ark_tui.index.protocols import Numbers
    from ark_tui.store.found import Found

SEEDS = 50  # candidates whose neighbors become candidates
SIDES: tuple[Where, Where] = ("previous", "next")
NEXT = 0.5  # weight of the text two steps away, relative to the neighbor

INFO = SignalInfo(
    "neighbour",
    "n",
    "structure",
    "How well the text just before or after it did, in its document or its conversation.",
)


def propose(search: Search, _: int) -> Proposal:
    """The neighbors of the best candidates."""
    index, so_far = search.index, search.so_far
    if index is None or so_far is None or search.candidates is None:
        return Proposal(np.empty(0, np.int64), np.empty(0, np.int64))
    seeds = search.candidates.chunks[np.argsort(-so_far, kind="stable")[:SEEDS]]
    beside = distinct(index.beside(seeds))
    chunks, documents = index.let_through(beside[beside >= 0], search.filters)
    return Proposal(chunks, documents)


def values(search: Search, candidates: Candidates) -> NDArray[np.float64]:
    """The weighted mean of the better neighbor's score and the better score two steps away.

    A chunk without neighbors gets its own score.
    """
    index, so_far = search.index, search.so_far
    if index is None or so_far is None:
        return np.zeros(len(candidates))
    beside = index.beside(candidates.chunks)
    where = np.searchsorted(candidates.chunks, beside).clip(max=len(candidates) - 1)
    one = np.where((beside >= 0) & (candidates.chunks[where] == beside), where, -1)
    two = np.where(one >= 0, one[one, (0, 1)], -1)  # the texts two steps away
    score = np.append(so_far, 0.0)  # index −1: no neighbor
    best: NDArray[np.float64] = (score[one].max(axis=1) + NEXT * score[two].max(axis=1)) / (1 + NEXT)
    return np.where((beside >= 0).any(axis=1), best, so_far)


def reasons(search: Search, candidates: Candidates, found: Sequence[Found]) -> list[Reasons]:
    """The previous and next text of each candidate, if they are candidates, better one first."""
    del found
    index, known, so_far = search.index, search.candidates, search.so_far
    if index is None or known is None or so_far is None:
        return [()] * len(candidates)
    beside = index.beside(candidates.chunks)
    at = np.searchsorted(known.chunks, beside).clip(max=max(len(known) - 1, 0))
    scores = np.where((beside >= 0) & (known.chunks[at] == beside), so_far[at], 0.0)
    shown = evidence.passages(search, beside[scores > 0].tolist())
    return [_passages(search, pair, worth, shown) for pair, worth in zip(beside, scores, strict=True)]


def _passages(
    search: Search, pair: Numbers, worth: NDArray[np.float64], shown: Mapping[int, Found]
) -> Reasons:
    sides = sorted(zip(worth.tolist(), pair.tolist(), SIDES, strict=True), reverse=True)
    return tuple(
        evidence.passage(search, shown[number], where, value)
        for value, number, where in sides
        if value > 0 and number in shown
    )


SIGNAL = Signal(
    INFO,
    "vectors",
    propose,
    values,
    share_of_best,
    stage="structure",
    order=100,
    reasons=reasons,
)
