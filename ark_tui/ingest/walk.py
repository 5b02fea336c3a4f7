"""The files below a root, in a steady order, quickly enough to look at all of them every time."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from ark_tui.domain.protocols import NEVER, Stop, check
from ark_tui.domain.work import Problem
from ark_tui.ingest.ignore import Ignore

__all__ = ["Entry", "Ignore", "walk"]


class Entry(NamedTuple):
    """A file as the folder listing shows it; it has not been opened."""

    path: str  # relative to the root, with `/`
    absolute: str
    size: int
    mtime_ns: int
    inode: int

    @classmethod
    def of(cls, file: Path, path: str) -> Entry:
        """A single file, known to the store as `path`. Raises `OSError`."""
        seen = file.stat()
        return cls(path, str(file), seen.st_size, seen.st_mtime_ns, seen.st_ino)


def walk(root: Path, ignore: Ignore, stop: Stop = NEVER) -> Iterator[Entry | Problem]:
    """Every file below `root` that is not ignored, and a problem for each that cannot be had.

    Folders that are ignored are not entered. Symbolic links are not followed: what they point to inside
    the root is found under its own name, what lies outside stays outside, and there are no loops.
    Raises `Cancelled` between two folders.
    """
    yield from ignore.problems
    top = os.path.realpath(root)
    waiting = [("", top)]
    while waiting:
        check(stop)
        prefix, folder = waiting.pop()
        try:
            with os.scandir(folder) as listing:
                entries = sorted(listing, key=attrgetter("name"))
        except OSError as error:
            yield Problem(_shown(prefix.rstrip("/") or "."), _reason(error), "failed")
            continue
        below = []
        for entry in entries:
            path = prefix + entry.name
            if entry.is_dir(follow_symlinks=False):
                if not ignore.folder(path):
                    below.append((path + "/", entry.path))
            elif not ignore.file(path) and (found := _file(entry, path, top)):
                yield found
        waiting += reversed(below)


def _file(entry: os.DirEntry[str], path: str, top: str) -> Entry | Problem | None:
    """The file, why it is none, or nothing: it has just gone, or is a link to what is found by itself."""
    try:
        seen = entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None
    except OSError as error:
        return Problem(_shown(path), _reason(error), "failed")
    if stat.S_ISLNK(seen.st_mode):
        return _link(entry, path, Path(top))
    if not stat.S_ISREG(seen.st_mode):
        return Problem(_shown(path), "not a file but a pipe, socket or device")
    if not path.isprintable() and _shown(path) != path:
        return Problem(_shown(path), "its name is not valid UTF-8")
    return Entry(path, entry.path, seen.st_size, seen.st_mtime_ns, seen.st_ino)


def _link(entry: os.DirEntry[str], path: str, top: Path) -> Problem | None:
    target = Path(os.path.realpath(entry.path))
    if not target.is_relative_to(top):
        return Problem(_shown(path), "a link that leads out of the folder")
    return None if target.exists() else Problem(_shown(path), "a link to nothing")


def _shown(path: str) -> str:
    """A path that can be stored: bytes that are no UTF-8 become U+FFFD."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
