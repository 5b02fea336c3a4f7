"""BM25 over title, headings and body."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ark_tui.domain.hits import SignalInfo
from ark_tui.index.protocols import Bm25
from ark_tui.retrieval import evidence
from ark_tui.retrieval.fusion import share_of_best
from ark_tui.retrieval.state import Candidates, Proposal, Search, Signal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.domain.reasons import Reasons
    from ark_tui.store.found import Found

INFO = SignalInfo(
    "bm25",
    "b",
    "words",
    "The query's words in the text, rare ones counting more and long texts less (BM25, stemmed).",
)


def propose(search: Search, limit: int) -> Proposal:
    return Proposal.of(search.corpus.words.search(query(search), limit, search.filters))


def values(search: Search, candidates: Candidates) -> NDArray[np.float64]:
    """Tantivy's score; 0 for a chunk without any of the words."""
    return search.corpus.words.score(query(search), candidates.chunks)


def query(search: Search) -> Bm25:
    """The BM25 query of a search."""
    return Bm25(search.terms, search.profile.boosts)


def reasons(search: Search, candidates: Candidates, found: Sequence[Found]) -> list[Reasons]:
    """The query words that each text contains."""
    return evidence.words(search, search.terms, search.profile.boosts, candidates, found)


SIGNAL = Signal(INFO, "words", propose, values, share_of_best, order=10, reasons=reasons)
