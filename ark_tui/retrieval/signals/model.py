"""Model cosine: the vectors of a served model, query against chunk.

The query vector comes from a server. It is requested before any lookup and awaited within a time budget. If
it does not arrive, the search runs without this signal and reports the reason.
"""

from __future__ import annotations

from ark_tui.domain.errors import ArkError
from ark_tui.domain.hits import SignalInfo
from ark_tui.retrieval.signals import cosine
from ark_tui.retrieval.state import Opened, Probe, Search

INFO = SignalInfo(
    "cosine",
    "v",
    "meaning",
    "How close the text's meaning is to the query's, by the vectors of a model server.",
)


def begin(search: Search) -> None:
    """Request the query vector; record in `problems` why the signal cannot run."""
    text = search.query.text.strip()
    if not text or not search.profile.weights.get(INFO.name):
        return
    try:
        served = search.corpus.served()
        if served is None:
            return
        index = served.vectors()
        if index is None:
            search.problems[INFO.name] = f"{served.name} has no vectors yet"
        else:
            search.model = Opened(served, index, served.queries.ask(text))
    except ArkError as error:
        search.problems[INFO.name] = error.what.rstrip(".")


@cosine.once
def probe(search: Search) -> Probe | None:
    """The query vector and the model's index; None if the vector did not arrive."""
    opened = search.model
    if opened is not None:
        try:
            return Probe(opened.index, opened.asked.within(opened.served.budget))
        except ArkError as error:
            search.problems[INFO.name] = error.what.rstrip(".")
    return None


SIGNAL = cosine.signal(INFO, "model", probe, order=50)
