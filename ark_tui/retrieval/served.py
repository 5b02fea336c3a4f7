"""A served model as a search sees it: its vectors of the corpus, and the query's own on its way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.embedding.served import QueryVectors
    from ark_tui.embedding.waiting import Asked
    from ark_tui.index.protocols import VectorIndex


@dataclass(frozen=True, slots=True)
class Served:
    """The model in force. `budget`: seconds that a search waits for the vector of its query."""

    name: str
    vectors: Callable[[], VectorIndex | None]
    queries: QueryVectors
    budget: float


@dataclass(frozen=True, slots=True)
class Opened:
    """The model in one search: the corpus as its vectors see it, and the query's vector, asked for."""

    served: Served
    index: VectorIndex
    asked: Asked[NDArray[np.float32]]
