"""What is told of a file before it is opened: by the listing of its folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ark_tui.settings.tree import Tree

UNSURE_NS = 2_000_000_000  # a file saved this close to its scan may change again and keep its time


class Entry(NamedTuple):
    """A file as the folder listing shows it; it has not been opened."""

    path: str  # relative to the root, with `/`
    size: int
    mtime_ns: int
    inode: int

    @classmethod
    def of(cls, tree: Tree, path: str) -> Entry:
        """A single file. Raises `OSError`."""
        seen = tree.stat(path)
        return cls(path, seen.st_size, seen.st_mtime_ns, seen.st_ino)

    @property
    def mark(self) -> tuple[int, ...]:
        """What is another where the file has changed: its size, time and inode."""
        return self[1:]

    def settled(self, scanned_ns: int) -> bool:
        """Whether it cannot have changed after a scan and kept its mark."""
        return self.mtime_ns < scanned_ns - UNSURE_NS
