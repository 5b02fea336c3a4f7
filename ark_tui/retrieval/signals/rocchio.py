"""Rocchio: the query's vector moved towards the texts that lead the first pass, then the cosine again.

Rocchio (1971), with positive feedback only: q + β · mean of the leaders, β = 0.5, on the idf pool.
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

BETA = 0.5

INFO = SignalInfo(
    "rocchio",
    "r",
    "meaning",
    "How close the text is to the query after the query has learned from the three best texts.",
)


def _found(search: Search) -> NDArray[np.float32]:
    return cosine.similarities(search, INFO.name, _query, idf=True)


def _query(search: Search) -> NDArray[np.float32] | None:
    import numpy as np

    own = idf.query_vector(search)
    if own is None or search.view is None:
        return None
    leaders = search.corpus.vectors.rows(search.view, search.leaders or (), idf=True)
    if not len(leaders):
        return own
    moved: NDArray[np.float32] = own + np.float32(BETA) * leaders.mean(axis=0)
    moved /= np.linalg.norm(moved)
    return moved


def propose(search: Search, limit: int) -> Proposal:
    return cosine.propose(_found(search), search, limit // 2)


def values(search: Search, candidates: Candidates) -> NDArray[np.float64]:
    return cosine.values(_found(search), search, candidates)


SIGNAL = Signal(
    INFO,
    "vectors",
    propose,
    values,
    normalise=cosine.against_best,
    rrf=cosine.itself,
    nothing=NOWHERE,
    stage="feedback",
)
