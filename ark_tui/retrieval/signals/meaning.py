"""The cosine that stands for meaning: the served model's where the query's vector came, else the static.

Feedback, graph expansion and diversity ask for it, whatever weights the profile gives to the two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ark_tui.retrieval.signals import cosine, model, static
from ark_tui.retrieval.state import Candidates, Search

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.index.vectors import Vectors
    from ark_tui.index.vectors.reader import View


def name(search: Search) -> str:
    """The signal whose cosine it is."""
    return model.INFO.name if len(model.found(search)) else static.INFO.name


def similarities(search: Search) -> tuple[View | None, NDArray[np.float32]]:
    """The cosine with every chunk of a view; no view where there is none."""
    found = model.found(search)
    if search.model is not None and len(found):
        return search.model.view, found
    found = static.found(search)
    return (search.view, found) if len(found) else (None, found)


def values(search: Search, candidates: Candidates) -> NDArray[np.float64]:
    """The cosine of each candidate; NOWHERE for one without a vector."""
    if len(model.found(search)):
        return model.values(search, candidates)
    return cosine.values(static.found(search), search, candidates)


def vectors(search: Search) -> tuple[Vectors, View] | None:
    """Whose vectors the texts are compared by."""
    if search.model is not None and len(model.found(search)):
        return search.model.served.reader, search.model.view
    return (search.corpus.vectors, search.view) if search.view is not None else None
