"""How the last writer left the store's files: what changed since was changed by nobody who takes turns.

DuckDB compares a checksum whenever it reads a block, and writes without reading. So whoever is about to write
to a file that is not as it was left (by a kill, a copy, or damage) first reads all of it. And a log that is
shorter than it was left has lost what was acknowledged, which DuckDB takes for an end.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from ark_tui.store import published

FILE = "store"


class Left(NamedTuple):
    """The file's size and time of change (ns), and the size of its log."""

    size: int = 0
    time: int = 0
    log: int = 0

    @classmethod
    def now(cls, path: Path) -> Left:
        """As the files are."""
        log = published.stat(path.with_name(f"{path.name}.wal"))
        file = published.stat(path)
        return cls(*(file.st_size, file.st_mtime_ns) if file else (0, 0), log.st_size if log else 0)

    @classmethod
    def read(cls, folder: Path) -> Left | None:
        """As they were left; None where that is not known."""
        text = published.read(folder / FILE)
        return None if text is None else cls(*map(int, text.split()))

    def write(self, folder: Path) -> None:
        """Tell the next one."""
        published.write(folder / FILE, " ".join(map(str, self)))

    def lost(self, now: Left) -> bool:
        """Whether the log has lost its end: the file itself is as it was, so it was not folded in."""
        return self[:2] == now[:2] and now.log < self.log
