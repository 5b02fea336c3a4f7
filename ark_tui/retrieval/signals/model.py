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


def found(search: Search) -> NDArray[np.float32]:
    """Cosine with every chunk, computed once a search; empty where the query's vector did not come."""
    if INFO.name not in search.similarities:  # filled in one step: two threads may ask
        search.similarities[INFO.name] = _similarities(search)
    return search.similarities[INFO.name]


def _similarities(search: Search) -> NDArray[np.float32]:
    import numpy as np

    opened = search.model
    if opened is not None:
        try:
            query = opened.asked.within(opened.served.budget)
            return opened.served.reader.similarities(opened.view, query, filters=search.filters)
        except ArkError as error:
            search.problems[INFO.name] = error.what.rstrip(".")
    return np.empty(0, np.float32)


def propose(search: Search, limit: int) -> Proposal:
    return cosine.best(found(search), search.model.view if search.model else None, limit)


def values(search: Search, candidates: Candidates) -> NDArray[np.float64]:
    return cosine.spread(found(search), search.model.view if search.model else None, candidates)


SIGNAL = Signal(
    INFO, "model", propose, values, normalise=cosine.against_best, rrf=cosine.itself, nothing=NOWHERE
)
