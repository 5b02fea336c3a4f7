"""The files below a root, in a steady order, quickly enough to look at all of them every time.

A folder is listed folder by folder, storage by one pass over all its objects.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from ark_tui.domain.errors import StoreError
from ark_tui.domain.protocols import NEVER, Stop, check
from ark_tui.domain.work import Problem
from ark_tui.ingest.entry import Entry, Object
from ark_tui.ingest.ignore import Ignore
from ark_tui.ingest.objects import Files, Objects, OddName
from ark_tui.settings.home import MARKS
from ark_tui.settings.tree import Tree, gone

__all__ = ["Entry", "Ignore", "walk"]

ODD = "a name in it has an empty part, . or .., or a control character: it cannot be listed"
CHANGED = "changed while being read; it is taken up by the next run"


def walk(
    tree: Files, ignore: Ignore, stop: Stop = NEVER, left_out: Callable[[str], object] = str
) -> Iterator[Entry | Problem]:
    """Every file of a root that is not ignored, and a problem for each that cannot be had.

    Folders that are ignored are not entered. Symbolic links are not followed: what they point to inside
    the root is found under its own name, what lies outside stays outside, and there are no loops.
    `left_out` is told each path that a rule leaves out, that of a folder alone for all that is in it. Raises
    `Cancelled` between two folders.
    """
    yield from ignore.problems
    if isinstance(tree, Objects):
        yield from _Listing(tree, ignore, left_out).kept(stop)
        return
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


class _Listing:
    """What rules leave of the objects at an address. Of one that was cut short nothing is taken."""

    def __init__(self, objects: Objects, ignore: Ignore, left_out: Callable[[str], object]) -> None:
        self._objects, self._ignore, self._left_out = objects, ignore, left_out
        self._entered = {"": True}  # whether a folder is looked into

    def kept(self, stop: Stop) -> Iterator[Entry | Problem]:
        """Every object that is kept; a problem of the folder "." where it cannot be listed."""
        try:
            found = self._at_once(stop)
        except OddName:
            found = self._folder_by_folder(stop)
        except StoreError as error:
            found = [Problem(".", error.told, "failed")]
        yield from (one for one in found if isinstance(one, Problem) or self._keeps(one.path))

    def _at_once(self, stop: Stop) -> Iterable[Object | Problem]:
        found: list[Object] = []
        for page in self._objects.everything():
            check(stop)
            found += page
        return found

    def _folder_by_folder(self, stop: Stop) -> Iterator[Object | Problem]:
        """Where a name is odd, the client lists nothing; so only the folder that has it is a problem."""
        waiting = [""]
        while waiting:
            check(stop)
            folder = waiting.pop()
            try:
                found, below = self._objects.folder(folder)
            except OddName:
                yield Problem(folder or ".", ODD, "failed")
                continue
            except StoreError as error:  # so may all others be, each after a while
                yield Problem(".", error.told, "failed")
                return
            waiting += [one for one in reversed(below) if self._enters(one)]
            yield from found

    def _keeps(self, path: str) -> bool:
        if not self._enters(path.rpartition("/")[0]):
            return False
        if left := self._ignore.file(path):
            self._left_out(path)
        return not left

    def _enters(self, folder: str) -> bool:
        if folder not in self._entered:
            entered = self._enters(folder.rpartition("/")[0])
            self._entered[folder] = entered and not self._ignore.folder(folder)
            if entered and not self._entered[folder]:
                self._left_out(f"{folder}/")
        return self._entered[folder]


def _listed(
    tree: Tree, folder: str, ignore: Ignore, left_out: Callable[[str], object]
) -> tuple[list[Entry | Problem], list[str]]:
    """What a folder holds, and the folders in it that are to be entered."""
    prefix, found, below = f"{folder}/" if folder else "", [], []
    with tree.listed(folder) as entries:
        if {entry.name for entry in entries} >= MARKS:  # a home, ours or another
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
    """The file, why it is none, or nothing: it has just gone, or is a link to what is found by itself."""
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
    """Why a link brings nothing. Raises `OSError`."""
    target = Path(os.path.realpath(Path(tree.path, path)))
    if not target.is_relative_to(tree.path):
        return Problem(_shown(path), "a link that leads out of the folder")
    return None if target.exists() else Problem(_shown(path), "a link to nothing")


def _shown(path: str) -> str:
    """A path that can be stored: bytes that are no UTF-8 become U+FFFD."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
