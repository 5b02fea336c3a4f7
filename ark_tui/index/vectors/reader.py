"""Read access to the vectors of one model: the latest snapshot of its table."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ark_tui.domain.errors import IndexDamaged
from ark_tui.index import seal
from ark_tui.index.standing import MARK
from ark_tui.index.vectors.snapshot import Snapshot
from ark_tui.index.vectors.table import VectorTable

if TYPE_CHECKING:
    from ark_tui.store.links import Edges


class Vectors:
    """Reader of a model's table. Thread-safe; the constructor does no I/O."""

    def __init__(
        self,
        folder: Path,
        dims: int,
        edges: Callable[[], Edges],
        repair: Callable[[], object] | None = None,
    ) -> None:
        """`edges`: the links of the store; `repair`: rebuilds a damaged table."""
        self._folder, self._dims, self._edges, self._repair = folder, dims, edges, repair
        self._seen: tuple[int, int] | None = None
        self._snapshot: Snapshot | None = None
        self._opening = threading.Lock()

    def refresh(self) -> Snapshot | None:
        """The current snapshot; None if nothing was written yet. Raises `StoreError`."""
        try:
            stat = (self._folder / MARK).stat()
        except OSError:
            self._snapshot = self._seen = None
            return None
        with self._opening:
            if (stat.st_mtime_ns, stat.st_ino) != self._seen:
                self._snapshot = self._opened()
                self._seen = (stat.st_mtime_ns, stat.st_ino)
            return self._snapshot

    open = refresh

    def close(self) -> None:
        """Release the arrays; the next search opens the table again."""
        with self._opening:
            self._snapshot = self._seen = None

    def _opened(self) -> Snapshot:
        try:
            return self._read()
        except IndexDamaged:
            if self._repair is None:
                raise
            self._repair()
        return self._read()

    def _read(self) -> Snapshot:
        mark, table = seal.read(self._folder / MARK), VectorTable(self._folder, self._dims)
        if mark is None or not table.sound():
            raise seal.damaged("vector")
        return Snapshot(table, int(mark["number"]), self._edges, self._snapshot)
