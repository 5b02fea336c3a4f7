"""Static cosine: the mean of the token vectors of the embedded model, query against chunk."""

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
    "static",
    "s",
    "meaning",
    "How close the text's meaning is to the query's: the cosine of their averaged word vectors.",
)


def _found(search: Search) -> NDArray[np.float32]:
    return cosine.similarities(search, INFO.name, _query, idf=False)


def _query(search: Search) -> NDArray[np.float32] | None:
    row = static.pool(static.tokens([search.query.text.strip()]))[0]
    return row if row.any() else None


def propose(search: Search, limit: int) -> Proposal:
    return cosine.propose(_found(search), search, limit)


def values(search: Search, candidates: Candidates) -> NDArray[np.float64]:
    return cosine.values(_found(search), search, candidates)


SIGNAL = Signal(
    INFO, "vectors", propose, values, normalise=cosine.against_best, rrf=cosine.itself, nothing=NOWHERE
)
