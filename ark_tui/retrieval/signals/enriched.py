"""Enriched cosine: the query and the words added by feedback, embedded as one text (S4).

It is embedded by the served model if that provided the query vector, else by the static model. The result is
merged with the cosine by maximum (`fusion.merged`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ark_tui.domain.errors import ArkError
from ark_tui.domain.hits import SignalInfo
from ark_tui.embedding import static as embedder
from ark_tui.retrieval import evidence, feedback
from ark_tui.retrieval.signals import cosine, model
from ark_tui.retrieval.state import Candidates, Probe, Search

if TYPE_CHECKING:
    from ark_tui.domain.reasons import Reasons
    from ark_tui.store.found import Found

INFO = SignalInfo(
    "enriched",
    "q",
    "meaning",
    "How close the text's meaning is to the query's after the best texts have added words to it.",
)


@cosine.once
def _probe(search: Search) -> Probe | None:
    """The vector of the enriched query; None if feedback adds no words."""
    words = feedback.words(search)
    if not words:
        return None
    text = " ".join((search.query.text.strip(), *words))
    return _by_model(search, text) if model.probe(search) else _by_static(search, text)


def _by_static(search: Search, text: str) -> Probe | None:
    row = embedder.pool(embedder.tokens([text]))[0]
    return Probe(search.index, row) if search.index is not None and row.any() else None


def _by_model(search: Search, text: str) -> Probe | None:
    """Embed the text by the served model, within the budget of a query."""
    opened = search.model
    assert opened is not None
    try:
        row = opened.served.queries.ask(text).within(opened.served.budget)
    except ArkError as error:
        search.problems[INFO.name] = error.what.rstrip(".")
        return None
    return Probe(opened.index, row)


def reasons(search: Search, candidates: Candidates, found: Sequence[Found]) -> list[Reasons]:
    """The words of each text most similar to those of the enriched query."""
    return evidence.close_words(search, candidates, found, feedback.words(search))


SIGNAL = cosine.signal(INFO, "vectors", _probe, stage="feedback", order=70, reasons=reasons)
