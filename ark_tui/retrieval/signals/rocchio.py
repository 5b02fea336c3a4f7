"""Rocchio: the query's vector moved towards the texts that lead the first pass, then the cosine again.

Rocchio (1971), with positive feedback only: q + β · mean of the leaders, β = 1, on the idf pool. All vectors
are taken from the middle of the corpus, so that what its texts have in common moves nothing. Uncentred, with
β = 0.5, it measured 0.6 points less (docs/decisions/0008-abstention-and-weights.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ark_tui.domain.hits import SignalInfo
from ark_tui.index.vectors.reader import NOWHERE
from ark_tui.retrieval.signals import cosine, idf
from ark_tui.retrieval.state import Candidates, Proposal, Search, Signal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BETA = 1.0

INFO = SignalInfo(
    "rocchio",
    "r",
    "meaning",
    "How close the text is to the query after the query has learned from the three best texts.",
)


def _found(search: Search) -> NDArray[np.float32]:
    """Centred cosine with every chunk, computed once a search; empty where the query has no vector."""
    if INFO.name not in search.similarities:
        search.similarities[INFO.name] = _looked(search)
    return search.similarities[INFO.name]


def _looked(search: Search) -> NDArray[np.float32]:
    import numpy as np

    own, view = idf.query_vector(search), search.view
    around = view.centre() if view else None
    if own is None or view is None or around is None:
        return np.empty(0, np.float32)
    vectors = search.corpus.vectors
    moved = around.directions(own)
    leaders = vectors.rows(view, search.leaders or (), idf=True)
    if len(leaders):
        moved = moved + np.float32(BETA) * around.directions(leaders).mean(axis=0)
    length = np.linalg.norm(moved)
    return vectors.centred(view, around, moved / length if length else moved, search.filters)


def propose(search: Search, limit: int) -> Proposal:
    return cosine.propose(_found(search), search, limit // 2)


def values(search: Search, candidates: Candidates) -> NDArray[np.float64]:
    return cosine.values(_found(search), search, candidates)


def against_best(raw: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cosine / best; 0 for a chunk on the other side of the middle."""
    import numpy as np

    best = raw.max(initial=0.0)
    return np.maximum(raw, 0.0) / best if best > 0 else np.zeros_like(raw)


SIGNAL = Signal(
    INFO,
    "vectors",
    propose,
    values,
    normalise=against_best,
    rrf=cosine.itself,
    nothing=NOWHERE,
    stage="feedback",
)
