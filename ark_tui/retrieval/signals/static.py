"""Static cosine: the mean of the token vectors of the embedded model, query against chunk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ark_tui.domain.hits import SignalInfo
from ark_tui.embedding import static
from ark_tui.index.vectors.reader import NOWHERE
from ark_tui.retrieval.signals import cosine, model
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


def found(search: Search) -> NDArray[np.float32]:
    """Cosine with every chunk, computed once a search."""
    return cosine.similarities(search, INFO.name, _query, idf=False)


def _wanted(search: Search) -> NDArray[np.float32]:
    """The same, unless the profile wants it only as a stand-in, and the served model's is there."""
    import numpy as np

    if search.profile.stand_in and len(model.found(search)):
        search.rests[INFO.name] = f"{model.INFO.name} is there, for which it would stand in"
        return np.empty(0, np.float32)
    return found(search)


def _query(search: Search) -> NDArray[np.float32] | None:
    row = static.pool(static.tokens([search.query.text.strip()]))[0]
    return row if row.any() else None


def propose(search: Search, limit: int) -> Proposal:
    return cosine.propose(_wanted(search), search, limit)


def values(search: Search, candidates: Candidates) -> NDArray[np.float64]:
    return cosine.values(_wanted(search), search, candidates)


SIGNAL = Signal(
    INFO, "vectors", propose, values, normalise=cosine.against_best, rrf=cosine.itself, nothing=NOWHERE
)
