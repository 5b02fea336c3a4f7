"""Safe access to files below a folder: every path component is opened relative to its parent's descriptor.

A path that was checked can lead elsewhere a moment later, if a folder is replaced by a symbolic link. So
there is no separate check: the call that opens a component refuses links, for every component below the
folder.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from typing import BinaryIO, Self

PASS = (
    getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC
)  # traversal needs no permission to list
LIST = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
FILE = os.O_NOFOLLOW | os.O_NONBLOCK  # a pipe in place of a file must not block

_GONE = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EISDIR, errno.ENXIO}


def gone(error: OSError) -> bool:
    """Whether an error means that the file no longer exists, or was replaced by a link, folder or pipe."""
    return error.errno in _GONE


def absent(root: Path | str, place: str = "") -> bool:
    """Whether a folder is missing or empty, as if its disk is not mounted.

    A folder without read permission is not absent, nor is an empty one whose `identity` is still `place`.
    """
    try:
        with os.scandir(root) as listing:
            return next(listing, None) is None and identity(root) != (place or None)
    except OSError as error:
        return gone(error)


def identity(root: Path | str) -> str:
    """Device and inode of a folder, to detect a different one mounted at its path; "" if it is missing."""
    try:
        return _identity(Path(root).stat())
    except OSError:
        return ""


def _identity(seen: os.stat_result) -> str:
    return f"{seen.st_dev}:{seen.st_ino}"


def away(root: Path | str, places: Mapping[str, str]) -> tuple[str, ...]:
    """The outermost absent paths among a folder (path "") and the mount points in it.

    `places`: the `identity` of each by path, as recorded when it was present.
    """
    if absent(root, places.get("", "")):
        return ("",)
    found = [path for path, place in places.items() if path and absent(f"{root}/{path}", place)]
    return tuple(path for path in found if not any(path != one and within(path, (one,)) for one in found))


def within(path: str, folders: Iterable[str]) -> bool:
    """Whether a path is one of these folders or below one; all paths are below ""."""
    return any(not folder or path == folder or path.startswith(f"{folder}/") for folder in folders)


def exists(root: Path | str, path: str, places: Mapping[str, str]) -> bool:
    """Whether a file may exist below a folder: also true if that cannot be checked.

    This includes files in absent folders (`away`).
    """
    try:
        with Tree(root) as tree:
            tree.stat(path)
    except OSError as error:
        return not gone(error) or within(path, away(root, places))
    return True


class Tree:
    """A folder, opened on first use; all methods raise `OSError`.

    Links are followed in the path of the folder itself, but not below it. Paths are relative, with `/`. Few
    descriptors are open at a time, at any depth. Not thread-safe.
    """

    def __init__(self, root: Path | str) -> None:
        self._root = root
        self._at: Sequence[str] = ()  # the folder used last
        self._handle = -1  # its descriptor, unless it is the top
        self.mounts: dict[str, str] = {}  # identities of listed mount points, by path

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._leave()
        if (top := self.__dict__.pop("_top", -1)) >= 0:
            os.close(top)

    @cached_property
    def path(self) -> str:
        """The resolved path of the folder."""
        return os.path.realpath(self._root)

    def inner(self, path: Path | str) -> str:
        """Resolve links in a path; return it relative to the folder. A path that leads out is refused."""
        real = Path(os.path.realpath(Path(self.path, path)))
        if not real.is_relative_to(self.path):
            raise OSError(errno.EXDEV, "it leads out of the folder")
        return real.relative_to(self.path).as_posix()

    def stat(self, path: str) -> os.stat_result:
        """The status of a file, or of a link itself."""
        folder, name = self._placed(path)
        return os.stat(name, dir_fd=folder, follow_symlinks=False)

    def open(self, path: str) -> BinaryIO:
        """Open a regular file for reading; anything else is refused."""
        folder, name = self._placed(path)
        file = open(name, "rb", opener=lambda name, flags: os.open(name, flags | FILE, dir_fd=folder))  # noqa: SIM115
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            file.close()
            raise OSError(errno.ENXIO, "not a file but a pipe, socket or device")
        return file

    def create(self, path: str) -> BinaryIO:
        """Create a file for writing, with its folders. An existing file is refused."""
        folder, name = self._placed(path, make=True)
        return open(name, "xb", opener=lambda name, flags: os.open(name, flags | FILE, 0o666, dir_fd=folder))

    def remove(self, path: str) -> None:
        """Delete a file."""
        folder, name = self._placed(path)
        os.unlink(name, dir_fd=folder)

    @contextmanager
    def listed(self, folder: str) -> Iterator[list[os.DirEntry[str]]]:
        """The entries of a folder (the top is ""), sorted by name; usable until the block ends."""
        above, name = self._placed(folder) if folder else (self._top, ".")
        handle = os.open(name, LIST, dir_fd=above)
        try:
            with os.scandir(handle) as listing:
                entries = sorted(listing, key=attrgetter("name"))
            if folder and (seen := os.fstat(handle)).st_dev != self._device(folder):
                self.mounts[folder] = _identity(seen)
            yield entries
        finally:
            os.close(handle)

    # -- internals ---------------------------------------------------------------------------------

    @cached_property
    def _top(self) -> int:
        return os.open(self.path, PASS)

    @cached_property
    def _own_device(self) -> int:
        return os.fstat(self._top).st_dev

    def _device(self, folder: str) -> int:
        """The device number of a folder's parent, from the known mount points."""
        above = [path for path in self.mounts if path != folder and within(folder, (path,))]
        return int(self.mounts[max(above, key=len)].partition(":")[0]) if above else self._own_device

    def _placed(self, path: str, *, make: bool = False) -> tuple[int, str]:
        *folder, name = path.split("/")
        return self._folder(folder, make=make), name

    def _folder(self, names: Sequence[str], *, make: bool = False) -> int:
        """The descriptor of a folder, valid until the next call."""
        if tuple(names[: len(self._at)]) != self._at:
            self._leave()
        for name in names[len(self._at) :]:
            self._enter(name, make=make)
        return self._top if self._handle < 0 else self._handle

    def _enter(self, name: str, *, make: bool) -> None:
        if name == "..":
            raise OSError(errno.EXDEV, "it leads out of the folder")
        above = self._top if self._handle < 0 else self._handle
        if make:
            with suppress(FileExistsError):
                os.mkdir(name, dir_fd=above)
        below = os.open(name, PASS | os.O_NOFOLLOW, dir_fd=above)
        at = (*self._at, name)
        self._leave()
        self._at, self._handle = at, below

    def _leave(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)
        self._at, self._handle = (), -1
