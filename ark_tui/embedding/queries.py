"""The vectors of queries: asked for in the background, each text once."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

from ark_tui.domain.documents import content_hash
from ark_tui.embedding.waiting import Asked, Call, Line

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.embedding.served import ServedEmbedder

    Vector = NDArray[np.float32]

REMEMBERED = 4096  # vectors, some 12 MB


class QueryVectors:
    """A served model's vectors of queries. Thread-safe."""

    def __init__(self, embedder: ServedEmbedder) -> None:
        self._embedder = embedder
        self._known: OrderedDict[str, Vector] = OrderedDict()
        self._mutex = threading.Lock()
        self._line: Line[Vector] = Line(embedder.who, embedder.start)

    def ask(self, text: str) -> Asked[Vector]:
        """The vector of a query: at once where it is known, else as soon as the server has it."""
        name = content_hash(text.encode("utf-8", "replace"))
        known = self._remembered(name)
        if known is not None:
            return Asked(self._embedder.who, Call(known))
        return self._line.ask(name, lambda: self._embedded(name, text))

    def _embedded(self, name: str, text: str) -> Vector:
        vector = self._embedder.embed_query(text)
        self._remember(name, vector)
        return vector

    def _remembered(self, name: str) -> Vector | None:
        with self._mutex:
            if name in self._known:
                self._known.move_to_end(name)
                return self._known[name]
        return None

    def _remember(self, name: str, vector: Vector) -> None:
        with self._mutex:
            self._known[name] = vector
            while len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
