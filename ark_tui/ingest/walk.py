"""Directory walk: all files below a root in a stable order, fast enough for a full scan every time."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from ark_tui.domain.protocols import NEVER, Stop, check
from ark_tui.domain.work import Problem
from ark_tui.ingest.ignore import Ignore
from ark_tui.settings.home import MARKS
from ark_tui.settings.tree import Tree, gone

CHANGED = "changed while being read; the next run reads it"


def walk(
    tree: Tree, ignore: Ignore, stop: Stop = NEVER, left_out: Callable[[str], object] = str
) -> Iterator[Entry | Problem]:
    """Yield every file of a root that is not ignored, and a problem for each that cannot be read.

    Ignored folders are not entered. Symbolic links are not followed: targets inside the root are found under
    their own names, targets outside are excluded, and there are no loops. `left_out` is called with each
    ignored path; for an ignored folder, only with the folder. Raises `Cancelled` between two folders.
    """
    yield from ignore.problems
    waiting = [""]
    while waiting:
        check(stop)
        folder = waiting.pop()
        try:
            found, below = _listed(tree, folder, ignore, left_out)
        except OSError as error:
            reason = CHANGED if folder and gone(error) else _reason(error)
            yield Problem(_shown(folder or "."), reason, "failed")
            continue
        waiting += reversed(below)
        yield from found


def _listed(
    tree: Tree, folder: str, ignore: Ignore, left_out: Callable[[str], object]
) -> tuple[list[Entry | Problem], list[str]]:
    """The files of a folder, and the subfolders to enter."""
    prefix, found, below = f"{folder}/" if folder else "", [], []
    with tree.listed(folder) as entries:
        if {entry.name for entry in entries} >= MARKS:  # an ark home folder, ours or another
            left_out(f"{folder}/")
            return [], []
        for entry in entries:
            path = prefix + entry.name
            if entry.is_dir(follow_symlinks=False):
                if ignore.folder(path):
                    left_out(f"{path}/")
                else:
                    below.append(path)
            elif ignore.file(path):
                left_out(path)
            elif one := _file(tree, entry, path):
                found.append(one)
    return found, below


def _file(tree: Tree, entry: os.DirEntry[str], path: str) -> Entry | Problem | None:
    """The entry of a file, or a problem; None if it was just deleted or is a link inside the root."""
    try:
        seen = entry.stat(follow_symlinks=False)
        if stat.S_ISLNK(seen.st_mode):
            return _link(tree, path)
    except FileNotFoundError:
        return None
    except OSError as error:
        return Problem(_shown(path), _reason(error), "failed")
    if not stat.S_ISREG(seen.st_mode):
        return Problem(_shown(path), "not a file but a pipe, socket or device")
    if not path.isprintable() and _shown(path) != path:
        return Problem(_shown(path), "its name is not valid UTF-8")
    return Entry(path, seen.st_size, seen.st_mtime_ns, seen.st_ino)


def _link(tree: Tree, path: str) -> Problem | None:
    """The problem of a link that leads out of the root or nowhere, else None. Raises `OSError`."""
    target = Path(os.path.realpath(Path(tree.path, path)))
    if not target.is_relative_to(tree.path):
        return Problem(_shown(path), "a link that leads out of the folder")
    return None if target.exists() else Problem(_shown(path), "a link to nothing")


def _shown(path: str) -> str:
    """A path that can be stored: bytes that are not valid UTF-8 become U+FFFD."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


UNSURE_NS = 2_000_000_000  # a file modified this shortly before its scan may change again with the same mtime


class Entry(NamedTuple):
    """A file as listed in its folder, not opened."""

    path: str  # relative to the root, with `/`
    size: int
    mtime_ns: int
    inode: int

    @classmethod
    def of(cls, tree: Tree, path: str) -> Entry:
        """The entry of a single file. Raises `OSError`."""
        seen = tree.stat(path)
        return cls(path, seen.st_size, seen.st_mtime_ns, seen.st_ino)

    @property
    def mark(self) -> tuple[int, ...]:
        """Size, mtime and inode: at least one differs if the file has changed."""
        return self[1:]

    def settled(self, scanned_ns: int) -> bool:
        """Whether a change after the scan would be sure to change the mark."""
        return self.mtime_ns < scanned_ns - UNSURE_NS
