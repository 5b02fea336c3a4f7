"""Where one document stands in a ranking, and by which weight it would stand higher."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil, floor
from typing import TYPE_CHECKING

import numpy as np

from ark_tui.domain.whynot import MissingWord, SignalRank
from ark_tui.index.protocols import Coverage
from ark_tui.index.words.terms import Terms
from ark_tui.retrieval import answer, bands
from ark_tui.retrieval.shown import Shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.domain.hits import Band
    from ark_tui.retrieval.answer import Order
    from ark_tui.retrieval.pipeline import Ranking
    from ark_tui.retrieval.state import Column, Signal

ALL = 200_000  # texts that a signal is asked for, to find one document among them
STEP = 1000  # weights are named in thousandths
HEAVIEST = 10.0  # weight that is proposed, at most


@dataclass(frozen=True)
class Standing:
    """One document in a ranking. Candidates go by their place among all."""

    ranking: Ranking
    document: int
    order: Order
    band: dict[int, Band]

    @cached_property
    def place(self) -> int | None:
        """Its best candidate; None where it has none."""
        own = np.flatnonzero(self.ranking.scored.candidates.documents == self.document)
        return int(own[self.order.score[own].argmax()]) if len(own) else None

    @cached_property
    def lead(self) -> int | None:
        """The candidate that stands for it: its own, or that of a document that says the same."""
        if self.place is None or self.place in self.band:
            return self.place
        return next((lead for lead, some in self.order.under.items() if self.place in some), None)

    @property
    def rank(self) -> int | None:
        """From 1, among all documents that were ranked; None for one that is not there by itself."""
        return (
            None if self.place is None or self.lead != self.place else self.order.best.index(self.place) + 1
        )

    @property
    def score(self) -> float | None:
        """What it is ranked by."""
        return None if self.place is None else float(self.order.score[self.place])

    @property
    def below(self) -> bool:
        """Whether it lies below the floor, and is not listed for it."""
        return self.lead is not None and self.band[self.lead] == "below"

    @property
    def listed(self) -> bool:
        """Whether the list of the search has it."""
        request = self.ranking.search.request
        return self.rank is not None and self.rank <= request.limit and (request.below or not self.below)


def standing(ranking: Ranking, document: int) -> Standing:
    """Where a document, by its number, stands in a ranking."""
    search, scored = ranking.search, ranking.scored
    with Shown(search) as store:
        order = answer.ordered(search, scored, store)
    assigned = bands.assigned(order.score[order.best], ranking.verdict, search.profile)
    return Standing(ranking, document, order, dict(zip(order.best, assigned, strict=True)))


# -- by signal -------------------------------------------------------------------------------------


def signals(found: Standing, chunks: Sequence[int]) -> Iterator[SignalRank]:
    """Where each signal has the document: among the candidates; of one that is none, among all texts."""
    columns = found.ranking.scored.columns
    if found.place is not None:
        for column in columns:
            part = column.part(found.place)
            yield SignalRank(column.name, part.rank, column.weight, part.contribution)
        return
    for column in columns:
        if column.signal.propose is not None and column.signal.stage in {"first", "feedback"}:
            yield SignalRank(column.name, _among_all(found, column.signal, chunks), column.weight)


def _among_all(found: Standing, signal: Signal, chunks: Sequence[int]) -> int | None:
    """The rank of the best of these chunks among all texts that a signal finds."""
    search = found.ranking.search
    size = min(search.corpus.words.size(), ALL)
    assert signal.propose is not None
    proposed = signal.propose(search, 2 * size)  # one of them halves what it is asked for
    own = np.flatnonzero(np.isin(proposed.chunks, list(chunks)))
    if not len(own) or (proposed.raw is not None and proposed.raw[own[0]] <= signal.nothing):
        return None
    return int(own[0]) + 1


def missing(found: Standing, chunks: Sequence[int]) -> Iterator[MissingWord]:
    """The words of the query that none of these chunks has, the rarest first."""
    search = found.ranking.search
    words = search.corpus.words
    if "words" in search.problems:
        return
    size, lacking = words.size(), []
    for stem, word in zip(search.terms.stems, search.terms.words, strict=True):
        one = Terms(stems=(stem,), words=(word,))
        if not words.score(Coverage(one, own=True), chunks).any():
            rarity, _ = words.rarities(one)[0]
            lacking.append(MissingWord(word, max(0, round((size + 1) / np.exp(rarity) - 0.5)), rarity))
    yield from sorted(lacking, key=lambda one: -one.rarity)


# -- by weight -------------------------------------------------------------------------------------


def weights(found: Standing) -> Iterator[tuple[str, float]]:
    """The smallest change of one weight by which the list has the document: signal and weight, best first.

    With the parts as they are, a document's score is a line over each weight, score + (w' − w) · part / w;
    it passes another one where the two lines meet, which is where the sums are made again.
    """
    changes = []
    for column in found.ranking.scored.columns:
        weight = _weight(found, column)
        if weight is not None:
            changes.append((abs(weight - column.weight) / column.weight, column.name, weight))
    yield from ((name, weight) for _, name, weight in sorted(changes))


def _weight(found: Standing, column: Column) -> float | None:
    """The weight of a signal nearest to its own by which the document is listed; None where there is none."""
    assert found.place is not None
    if column.weight <= 0:
        return None
    factor = np.prod([np.ones(len(found.order.score)), *found.order.factors.values()], axis=0)
    slope = factor * column.contribution / column.weight
    for weight in _meeting(found, column.weight, found.order.score, slope):
        if _would_be_listed(found, found.order.score + (weight - column.weight) * slope):
            return weight
    return None


def _meeting(
    found: Standing, weight: float, score: NDArray[np.float64], slope: NDArray[np.float64]
) -> Iterator[float]:
    """The weights at which the document meets another one, or its share of it, the nearest first."""
    own, others = found.place, np.array([at for at in found.order.best if at != found.place], np.int64)
    shares = (1.0, bands.END) if found.ranking.verdict is not None else (1.0,)
    meeting: list[float] = []
    for share in shares:
        gap, gain = share * score[others] - score[own], slope[own] - share * slope[others]
        at = gain != 0
        meeting += (weight + gap[at] / gain[at]).tolist()
    named = {_named(one, up=one > weight) for one in meeting}
    yield from sorted((one for one in named if 0 <= one <= HEAVIEST), key=lambda one: abs(one - weight))


def _named(weight: float, *, up: bool) -> float:
    """The next weight in thousandths beyond one."""
    whole = floor(weight * STEP) + 1 if up else ceil(weight * STEP) - 1
    return whole / STEP


def _would_be_listed(found: Standing, score: NDArray[np.float64]) -> bool:
    """Whether the list would have the document by other scores of the candidates."""
    ranking, place = found.ranking, found.place
    documents = ranking.scored.candidates.documents
    leads = np.isin(documents, documents[found.order.best])
    own = score[documents == found.document].max()
    better = len(np.unique(documents[leads & (score > own)]))
    if better >= ranking.search.request.limit:
        return False
    if ranking.verdict is None or ranking.search.profile.fusion != "convex" or place is None:
        return True
    return bool(own >= bands.END * score[leads].max(initial=0.0))
