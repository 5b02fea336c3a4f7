"""Static cosine by rarity: as `static`, each token weighted by how rare it is in this corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ark_tui.domain.hits import SignalInfo
from ark_tui.embedding import static
from ark_tui.index.vectors.reader import NOWHERE
from ark_tui.retrieval.signals import cosine
from ark_tui.retrieval.state import Candidates, Proposal, Search, Signal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

INFO = SignalInfo(
    "idf",
    "i",
    "meaning",
    "As static, but rare words of this corpus weigh more, so that names and terms count.",
)


def _found(search: Search) -> NDArray[np.float32]:
    return cosine.similarities(search, INFO.name, query_vector, idf=True)


def query_vector(search: Search) -> NDArray[np.float32] | None:
    """The query pooled as the corpus is; None where it has no token."""
    weights = search.view.idf if search.view else None
    if weights is None:
        return None
    row = static.pool(static.tokens([search.query.text.strip()]), weights)[0]
    return row if row.any() else None


def propose(search: Search, limit: int) -> Proposal:
    return cosine.propose(_found(search), search, limit)


def values(search: Search, candidates: Candidates) -> NDArray[np.float64]:
    return cosine.values(_found(search), search, candidates)


SIGNAL = Signal(
    INFO, "vectors", propose, values, normalise=cosine.against_best, rrf=cosine.itself, nothing=NOWHERE
)
