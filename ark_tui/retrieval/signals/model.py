"""Model cosine: the vectors of a served model, query against chunk.

The query's vector comes from a server. It is asked for before anything else is looked up and waited for
within a budget; when it does not come, the search answers without this signal and says why.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ark_tui.domain.errors import ArkError
from ark_tui.domain.hits import SignalInfo
from ark_tui.index.vectors.reader import NOWHERE
from ark_tui.retrieval.served import Opened
from ark_tui.retrieval.signals import cosine
from ark_tui.retrieval.state import Candidates, Proposal, Search, Signal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

INFO = SignalInfo(
    "cosine",
    "v",
    "meaning",
    "How close the text's meaning is to the query's, by the vectors of a model server.",
)


def begin(search: Search) -> None:
    """Ask for the query's vector; notes in `problems` why the signal cannot run."""
    text = search.query.text.strip()
    if not text or not search.profile.weights.get(INFO.name):
        return
    try:
        served = search.corpus.served()
        if served is None:
            return
        view = served.reader.refresh()
        if view is None:
            search.problems[INFO.name] = f"{served.name} has no vectors yet"
        else:
            search.model = Opened(served, view, served.queries.ask(text))
    except ArkError as error:
        search.problems[INFO.name] = error.what.rstrip(".")


def _found(search: Search) -> NDArray[np.float32]:
    """Cosine with every chunk, computed once a search; empty where the query's vector did not come."""
    import numpy as np

    if INFO.name not in search.similarities:
        search.similarities[INFO.name] = np.empty(0, np.float32)
        opened = search.model
        if opened is None:
            return search.similarities[INFO.name]
        try:
            query = opened.asked.within(opened.served.budget)
            search.similarities[INFO.name] = opened.served.reader.similarities(
                opened.view, query, filters=search.filters
            )
        except ArkError as error:
            search.problems[INFO.name] = error.what.rstrip(".")
    return search.similarities[INFO.name]


def propose(search: Search, limit: int) -> Proposal:
    import numpy as np

    found = _found(search)
    if search.model is None or not len(found):
        return Proposal(np.empty(0, np.int64), np.empty(0, np.int64))
    top = np.argpartition(-found, limit)[:limit] if len(found) > limit else np.arange(len(found))
    top = top[found[top] > NOWHERE]
    chunks = search.model.view.chunks
    return Proposal(chunks.chunk[top], chunks.document[top], len(top))


def values(search: Search, candidates: Candidates) -> NDArray[np.float64]:
    import numpy as np

    raw = np.full(len(candidates), NOWHERE)
    found = _found(search)
    if search.model is not None and len(found):
        at = search.model.view.places(candidates.chunks)
        raw[at >= 0] = found[at[at >= 0]]
    return raw


SIGNAL = Signal(
    INFO, "model", propose, values, normalise=cosine.against_best, rrf=cosine.itself, nothing=NOWHERE
)
