"""What the cosine signals share: one pass over the corpus, of which proposals and values are read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ark_tui.index.vectors.reader import NOWHERE
from ark_tui.retrieval.state import Candidates, Proposal, Search

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.index.vectors.reader import View

QueryVector = Callable[[Search], "NDArray[np.float32] | None"]


def similarities(search: Search, name: str, vector: QueryVector, *, idf: bool) -> NDArray[np.float32]:
    """Cosine with every chunk, computed once a search; empty where the query has no vector."""
    import numpy as np

    if name not in search.similarities:
        view, query = search.view, vector(search)
        search.similarities[name] = (
            np.empty(0, np.float32)
            if view is None or query is None
            else search.corpus.vectors.similarities(view, query, idf=idf, filters=search.filters)
        )
    return search.similarities[name]


def propose(found: NDArray[np.float32], search: Search, limit: int) -> Proposal:
    """The most similar chunks by the static vectors."""
    return best(found, search.view, limit)


def values(found: NDArray[np.float32], search: Search, candidates: Candidates) -> NDArray[np.float64]:
    """The cosine of each candidate by the static vectors; NOWHERE for one without a vector."""
    return spread(found, search.view, candidates)


def best(found: NDArray[np.float32], view: View | None, limit: int) -> Proposal:
    """The most similar chunks of a view."""
    import numpy as np

    if view is None or not len(found):
        return Proposal(np.empty(0, np.int64), np.empty(0, np.int64))
    top = np.argpartition(-found, limit)[:limit] if len(found) > limit else np.arange(len(found))
    top = top[found[top] > NOWHERE]
    return Proposal(view.chunks.chunk[top], view.chunks.document[top], len(top))


def spread(found: NDArray[np.float32], view: View | None, candidates: Candidates) -> NDArray[np.float64]:
    """The cosine of each candidate, of those of a whole view; NOWHERE for one without a vector."""
    import numpy as np

    raw = np.full(len(candidates), NOWHERE)
    if view is None or not len(found):
        return raw
    at = view.places(candidates.chunks)
    raw[at >= 0] = found[at[at >= 0]]
    return raw


def against_best(raw: NDArray[np.float64]) -> NDArray[np.float64]:
    """(cosine + 1) / (best + 1); 0 for a chunk without a vector."""
    import numpy as np

    best = raw.max(initial=NOWHERE)
    return np.where(raw > NOWHERE, (raw + 1) / (best + 1), 0.0) if best > -1 else np.zeros_like(raw)


def itself(raw: NDArray[np.float64]) -> NDArray[np.float64]:
    """The cosine where there is one, else 0."""
    import numpy as np

    return np.where(raw > NOWHERE, raw, 0.0)
