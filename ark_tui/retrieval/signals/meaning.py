"""The cosine that stands for meaning: the served model's where the query's vector came, else the static.

Feedback, graph expansion and diversity ask for it, whatever weights the profile gives to the two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ark_tui.retrieval.signals import cosine, model, static
from ark_tui.retrieval.state import Candidates, Probe, Search

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.index.protocols import VectorIndex


def probe(search: Search) -> Probe | None:
    """What is asked; None where neither vector is there."""
    return model.probe(search) or static.probe(search)


def scores(search: Search, candidates: Candidates) -> NDArray[np.float64]:
    """The cosine of each candidate; NOWHERE for one without a vector."""
    return cosine.scores(probe(search), candidates)


def index(search: Search) -> VectorIndex | None:
    """Whose vectors the texts are compared by."""
    found = model.probe(search)
    return found.index if found else search.index
