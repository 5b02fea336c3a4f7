"""Coverage: how much of the query, by the rarity of its words, is there at all."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ark_tui.domain.hits import SignalInfo
from ark_tui.index.protocols import Coverage
from ark_tui.retrieval import worded
from ark_tui.retrieval.signals import ranked
from ark_tui.retrieval.state import Candidates, Proposal, Search, Signal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

INFO = SignalInfo(
    "coverage",
    "c",
    "words",
    "The share of the query's words, weighted by their rarity, that the text has at least once.",
)


def propose(search: Search, limit: int) -> Proposal:
    found = ranked.proposal(search.corpus.words.search(Coverage(search.terms), limit, search.filters))
    return found if found.raw is None else replace(found, raw=found.raw.clip(0.0, 1.0))


def values(search: Search, candidates: Candidates) -> NDArray[np.float64]:
    """0…1: the query's idf mass that occurs in the chunk."""
    return search.corpus.words.score(Coverage(search.terms), candidates.chunks).clip(0.0, 1.0)


def as_is(raw: NDArray[np.float64]) -> NDArray[np.float64]:
    return raw


SIGNAL = Signal(INFO, "words", propose, values, normalise=as_is, rrf=as_is, order=20, reasons=worded.covered)
