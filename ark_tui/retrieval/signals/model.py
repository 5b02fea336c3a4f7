"""Model cosine: the vectors of a served model, query against chunk.

The query's vector comes from a server. It is asked for before anything else is looked up and waited for
within a budget; when it does not come, the search answers without this signal and says why.
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
    """Ask for the query's vector; notes in `problems` why the signal cannot run."""
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
    """The query's vector among the model's; None where it did not come."""
    opened = search.model
    if opened is not None:
        try:
            return Probe(opened.index, opened.asked.within(opened.served.budget))
        except ArkError as error:
            search.problems[INFO.name] = error.what.rstrip(".")
    return None


SIGNAL = cosine.signal(INFO, "model", probe, order=50)
