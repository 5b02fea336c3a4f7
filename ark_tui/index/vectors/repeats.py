"""Which chunks repeat an earlier one, for a search that needs nothing else of vectors: without numpy.

It reads one of the serving files (`serving`), the table of groups: rows of two 64-bit numbers, a chunk that
repeats an earlier one and the first of its kind, ascending.
"""

from __future__ import annotations

import mmap
import re
from bisect import bisect_left
from collections.abc import Sequence
from pathlib import Path

from ark_tui.index import seal

CURRENT = "current.json"
GROUPS = "groups.npy"
HEADER = re.compile(
    rb"\x93NUMPY[\x01-\x03]\x00.{2,4}\{'descr': '<i8', 'fortran_order': False, .*?\n", re.DOTALL
)


class Repeats:
    """The table in force. Thread-safe; opening one touches nothing."""

    def __init__(self, folder: Path) -> None:
        """`folder`: that of the model whose vectors the texts were compared by."""
        self._folder = folder / "serving"
        self._read: tuple[tuple[int, int], memoryview] | None = None  # as of which publication

    def firsts(self, chunks: Sequence[int]) -> list[int]:
        """For each chunk the first of those that say the same: itself, if it repeats none.

        Raises `IndexDamaged`.
        """
        try:
            stat = (self._folder / CURRENT).stat()
        except OSError:
            return [*chunks]  # nothing was published yet
        seen, read = (stat.st_mtime_ns, stat.st_ino), self._read
        if read is None or read[0] != seen:
            read = self._read = seen, self._table()
        pairs = read[1]
        return [_first(pairs, chunk) for chunk in chunks] if len(pairs) else [*chunks]

    def _table(self) -> memoryview:
        current = seal.read(self._folder / CURRENT) or {}
        name, seals = current.get("alike"), current.get("seals", {})
        if name == "":
            return memoryview(b"").cast("q")
        path = f"{name}/{GROUPS}"
        if path not in seals or seal.fault(self._folder, {path: seals[path]}):
            raise seal.damaged("vector")
        with seal.guarded("vector"), (self._folder / path).open("rb") as file:
            table = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
            header = HEADER.match(table)
            if header is None or (len(table) - header.end()) % 16:
                raise seal.damaged("vector")
            return table[header.end() :].cast("q")


def _first(pairs: memoryview, chunk: int) -> int:
    at = bisect_left(range(len(pairs) // 2), chunk, key=lambda row: pairs[2 * row])
    return pairs[2 * at + 1] if 2 * at < len(pairs) and pairs[2 * at] == chunk else chunk
