"""Rocchio: the query's vector moved towards the texts that lead the first pass, then the cosine again.

Rocchio (1971), with positive feedback only: q + β · mean of the leaders, β = 1, All vectors
are taken from the middle of the corpus, so that what its texts have in common moves nothing. Uncentred, with
β = 0.5, it measured 0.6 points less (docs/decisions/0008-abstention-and-weights.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ark_tui.domain.hits import SignalInfo
from ark_tui.embedding import static
from ark_tui.retrieval import akin
from ark_tui.retrieval.signals import cosine
from ark_tui.retrieval.signals import static as own_vector
from ark_tui.retrieval.state import Candidates, Probe, Search

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.domain.reasons import Reasons
    from ark_tui.index.protocols import VectorIndex
    from ark_tui.store.found import Found

BETA = 1.0

INFO = SignalInfo(
    "rocchio",
    "r",
    "meaning",
    "How close the text is to the query after the query has learned from the three best texts.",
)


@cosine.once
def _probe(search: Search) -> Probe | None:
    """Where the query has moved to, seen from the middle; None where it has no vector."""
    own, index = own_vector.probe(search), search.index
    if own is None or index is None or index.middle is None:
        return None
    return moved(search, index, own.vector, index.middle)


def moved(
    search: Search, pool: VectorIndex, vector: NDArray[np.float32], middle: NDArray[np.float32]
) -> Probe:
    """The direction of a vector and β times the mean of the texts that lead, both seen from the middle."""
    vector = _unit(vector - middle)
    _, leaders = pool.vectors(search.leaders or ())
    if len(leaders):
        vector = vector + np.float32(BETA) * static.unit(leaders - middle).mean(axis=0)
    return cosine.heard(search, pool, _unit(vector))


def _unit(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """A vector's direction; zeros for none."""
    length = np.linalg.norm(vector)
    return vector / length if length else vector


def against_best(raw: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cosine / best; 0 for a chunk on the other side of the middle."""
    best = raw.max(initial=0.0)
    return np.maximum(raw, 0.0) / best if best > 0 else np.zeros_like(raw)


def reasons(search: Search, candidates: Candidates, found: Sequence[Found]) -> list[Reasons]:
    """The words without which a text would be further from where the query has moved to."""
    index = search.index
    if index is None or index.middle is None:
        return [()] * len(found)
    middle = index.middle

    def directions(rows: NDArray[np.float32]) -> NDArray[np.float32]:
        return static.unit(rows - middle)

    return akin.reasons(search, candidates, found, _probe(search), None, directions)


SIGNAL = cosine.signal(
    INFO, "vectors", _probe, stage="feedback", share=2, normalise=against_best, order=60, reasons=reasons
)
