"""Static cosine: the mean of the token vectors of the embedded model, query against chunk."""

from __future__ import annotations

from ark_tui.domain.hits import SignalInfo
from ark_tui.embedding import static
from ark_tui.retrieval import evidence
from ark_tui.retrieval.signals import cosine, model
from ark_tui.retrieval.state import Probe, Search

INFO = SignalInfo(
    "static",
    "s",
    "meaning",
    "How close the text's meaning is to the query's: the cosine of their averaged word vectors.",
)


@cosine.once
def probe(search: Search) -> Probe | None:
    """The pooled token vectors of the query; None if it has none or there is no index."""
    row = static.pool([static.of_query(search.query.text.strip())])[0]
    return Probe(search.index, row) if search.index is not None and row.any() else None


def _wanted(search: Search) -> Probe | None:
    """The same, but None if the profile uses it only as a fallback and the served model is available."""
    if search.profile.stand_in and model.probe(search):
        search.rests[INFO.name] = f"{model.INFO.name} is there, for which it would stand in"
        return None
    return probe(search)


SIGNAL = cosine.signal(INFO, "vectors", _wanted, order=30, reasons=evidence.close_words)
