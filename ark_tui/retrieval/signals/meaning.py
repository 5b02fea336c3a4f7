"""The semantic similarity: the served model's cosine if its query vector arrived, else the static cosine.

Feedback, graph expansion and diversity use it regardless of the profile's weights for the two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ark_tui.retrieval.signals import cosine, model, static
from ark_tui.retrieval.state import Candidates, Probe, Search

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.index.vectors.snapshot import Snapshot


def probe(search: Search) -> Probe | None:
    """The query vector and its index; None if neither model has one."""
    return model.probe(search) or static.probe(search)


def scores(search: Search, candidates: Candidates) -> NDArray[np.float64]:
    """The cosine of each candidate; NOWHERE for one without a vector."""
    return cosine.scores(probe(search), candidates)


def index(search: Search) -> Snapshot | None:
    """The vector index to compare texts by."""
    found = model.probe(search)
    return found.index if found else search.index
