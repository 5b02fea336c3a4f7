"""Enriched cosine: the query and the words its first hits add, embedded as one text (S4).

By the served model where the query's own vector came from it, else by the static one. A profile says whether
this is added to the cosine's share or, as described, merged with it by maximum (`fusion.merged`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ark_tui.domain.errors import ArkError
from ark_tui.domain.hits import SignalInfo
from ark_tui.embedding import static as embedder
from ark_tui.index.vectors.reader import NOWHERE
from ark_tui.retrieval import feedback
from ark_tui.retrieval.signals import cosine, meaning, model
from ark_tui.retrieval.state import Candidates, Proposal, Search, Signal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

INFO = SignalInfo(
    "enriched",
    "q",
    "meaning",
    "How close the text's meaning is to the query's after the best texts have added words to it.",
)


def _found(search: Search) -> NDArray[np.float32]:
    """Cosine with every chunk, computed once a search; empty where the first hits add no word."""
    import numpy as np

    if INFO.name not in search.similarities:
        words = feedback.words(search)
        text = " ".join((search.query.text.strip(), *words))
        by_model = meaning.name(search) == model.INFO.name
        found = (_by_model if by_model else _by_static)(search, text) if words else np.empty(0, np.float32)
        search.similarities[INFO.name] = found
    return search.similarities[INFO.name]


def _by_static(search: Search, text: str) -> NDArray[np.float32]:
    import numpy as np

    row = embedder.pool(embedder.tokens([text]))[0]
    if search.view is None or not row.any():
        return np.empty(0, np.float32)
    return search.corpus.vectors.similarities(search.view, row, filters=search.filters)


def _by_model(search: Search, text: str) -> NDArray[np.float32]:
    """Waits for the server once more, within the budget of a query."""
    import numpy as np

    opened = search.model
    assert opened is not None
    try:
        row = opened.served.queries.ask(text).within(opened.served.budget)
        return opened.served.reader.similarities(opened.view, row, filters=search.filters)
    except ArkError as error:
        search.problems[INFO.name] = error.what.rstrip(".")
        return np.empty(0, np.float32)


def propose(search: Search, limit: int) -> Proposal:
    found = _found(search)
    view, _ = meaning.similarities(search)
    return cosine.best(found, view, limit)


def values(search: Search, candidates: Candidates) -> NDArray[np.float64]:
    view, _ = meaning.similarities(search)
    return cosine.spread(_found(search), view, candidates)


SIGNAL = Signal(
    INFO,
    "vectors",
    propose,
    values,
    normalise=cosine.against_best,
    rrf=cosine.itself,
    nothing=NOWHERE,
    stage="feedback",
)
