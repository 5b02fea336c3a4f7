"""The vectors of queries: asked for in the background, each text once."""

from __future__ import annotations

import threading
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING

from ark_tui.domain.documents import content_hash
from ark_tui.embedding.waiting import Asked, Call, Line
from ark_tui.settings.home import checked, read_checked, write_file

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.embedding.served import ServedEmbedder

    Vector = NDArray[np.float32]

REMEMBERED = 512  # vectors in memory
KEPT = 4000  # on disk, some 12 MB; the oldest half goes when there are more


class QueryVectors:
    """A served model's vectors of queries. Thread-safe.

    `folder`: where they are kept between runs, under the hash of their text; it may be deleted at any time.
    """

    def __init__(self, embedder: ServedEmbedder, folder: Path) -> None:
        self._embedder = embedder
        self._folder = folder / embedder.fingerprint
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
        self._keep(name, vector)
        return vector

    def _remembered(self, name: str) -> Vector | None:
        with self._mutex:
            if name in self._known:
                self._known.move_to_end(name)
                return self._known[name]
        vector = self._read(name)
        if vector is not None:
            self._remember(name, vector)
        return vector

    def _remember(self, name: str, vector: Vector) -> None:
        with self._mutex:
            self._known[name] = vector
            while len(self._known) > REMEMBERED:
                self._known.popitem(last=False)

    def _read(self, name: str) -> Vector | None:
        import numpy as np

        data = read_checked(self._folder / name)
        if data is None or len(data) != 4 * self._embedder.dims:
            return None
        return np.frombuffer(data, np.float32)

    def _keep(self, name: str, vector: Vector) -> None:
        """On disk for the next run; where that may not be written, the next run asks again."""
        try:
            write_file(self._folder / name, checked(vector.astype("float32").tobytes()))
            self._thin_out()
        except OSError:
            return

    def _thin_out(self) -> None:
        kept = list(self._folder.iterdir())
        if len(kept) > KEPT:
            kept.sort(key=lambda path: path.stat().st_mtime)
            for path in kept[: KEPT // 2]:
                path.unlink(missing_ok=True)
