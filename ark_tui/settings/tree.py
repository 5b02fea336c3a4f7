"""The files below a folder, each reached name by name from the folder's own descriptor.

A path that was checked can lead elsewhere a moment later, when a folder is swapped for a symbolic link. So
nothing is checked first: the very call that opens a name refuses a link, in every name below the folder.
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
)  # to pass through needs no right to list
LIST = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
FILE = os.O_NOFOLLOW | os.O_NONBLOCK  # a pipe that has taken a file's place must not make us wait

_GONE = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EISDIR, errno.ENXIO}


def gone(error: OSError) -> bool:
    """Whether there is no such file any more: nothing, or a link, a folder or a pipe in its place."""
    return error.errno in _GONE


def absent(root: Path | str, place: str = "") -> bool:
    """Whether a folder is not there, or has nothing in it: a disk that is not mounted leaves either.

    One that may not be looked at is there, and so is an empty one that is still the one at this `place`, as
    `identity` has it.
    """
    try:
        with os.scandir(root) as listing:
            return next(listing, None) is None and identity(root) != (place or None)
    except OSError as error:
        return gone(error)


def identity(root: Path | str) -> str:
    """What tells a folder from another one at its path, as a mount point is; empty where it is not there."""
    try:
        return _identity(Path(root).stat())
    except OSError:
        return ""


def _identity(seen: os.stat_result) -> str:
    return f"{seen.st_dev}:{seen.st_ino}"


def away(root: Path | str, places: Mapping[str, str]) -> tuple[str, ...]:
    """Which of a folder and the mount points in it are absent, none below another one of them.

    `places`: the `identity` of each by its path, of the folder itself by "", as it was when it was there.
    """
    if absent(root, places.get("", "")):
        return ("",)
    found = [path for path, place in places.items() if path and absent(f"{root}/{path}", place)]
    return tuple(path for path in found if not any(path != one and within(path, (one,)) for one in found))


def within(path: str, folders: Iterable[str]) -> bool:
    """Whether a path is one of these folders, or below one; all paths are below ""."""
    return any(not folder or path == folder or path.startswith(f"{folder}/") for folder in folders)


def exists(root: Path | str, path: str, places: Mapping[str, str]) -> bool:
    """Whether there is such a file below a folder; one that cannot be looked at may be there.

    Of what is `away`, nobody knows what is in it.
    """
    try:
        with Tree(root) as tree:
            tree.stat(path)
    except OSError as error:
        return not gone(error) or within(path, away(root, places))
    return True


class Tree:
    """A folder, opened when something of it is first asked for; every method raises `OSError`.

    The folder itself may be reached by links, nothing below it is. Paths are relative, with `/`. A handful of
    descriptors is open, however deep the folders. For one thread.
    """

    def __init__(self, root: Path | str) -> None:
        self._root = root
        self._at: Sequence[str] = ()  # the folder that was used last
        self._handle = -1  # its descriptor, where it is not the top
        self.mounts: dict[str, str] = {}  # folders on another file system than what is above, once listed

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._leave()
        if (top := self.__dict__.pop("_top", -1)) >= 0:
            os.close(top)

    @cached_property
    def path(self) -> str:
        """Where the folder is, links followed."""
        return os.path.realpath(self._root)

    def inner(self, path: Path | str) -> str:
        """Where a path leads, links followed, as a path below the folder. One that leads out is refused."""
        real = Path(os.path.realpath(Path(self.path, path)))
        if not real.is_relative_to(self.path):
            raise OSError(errno.EXDEV, "it leads out of the folder")
        return real.relative_to(self.path).as_posix()

    def stat(self, path: str) -> os.stat_result:
        """A file as it is now; of a link, the link's own."""
        folder, name = self._placed(path)
        return os.stat(name, dir_fd=folder, follow_symlinks=False)

    def open(self, path: str) -> BinaryIO:
        """A file to read; what is no regular file is refused."""
        folder, name = self._placed(path)
        file = open(name, "rb", opener=lambda name, flags: os.open(name, flags | FILE, dir_fd=folder))  # noqa: SIM115
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            file.close()
            raise OSError(errno.ENXIO, "not a file but a pipe, socket or device")
        return file

    def create(self, path: str) -> BinaryIO:
        """A new file to write, its folders made where there are none. What is there already is refused."""
        folder, name = self._placed(path, make=True)
        return open(name, "xb", opener=lambda name, flags: os.open(name, flags | FILE, 0o666, dir_fd=folder))

    def remove(self, path: str) -> None:
        """Take a file away."""
        folder, name = self._placed(path)
        os.unlink(name, dir_fd=folder)

    @contextmanager
    def listed(self, folder: str) -> Iterator[list[os.DirEntry[str]]]:
        """What is in a folder (the top is ""), by name; entries may be looked at until the block ends."""
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

    # -- inside ------------------------------------------------------------------------------------

    @cached_property
    def _top(self) -> int:
        return os.open(self.path, PASS)

    @cached_property
    def _own_device(self) -> int:
        return os.fstat(self._top).st_dev

    def _device(self, folder: str) -> int:
        """The device of what is above a folder, by the mount points met on the way."""
        above = [path for path in self.mounts if path != folder and within(folder, (path,))]
        return int(self.mounts[max(above, key=len)].partition(":")[0]) if above else self._own_device

    def _placed(self, path: str, *, make: bool = False) -> tuple[int, str]:
        *folder, name = path.split("/")
        return self._folder(folder, make=make), name

    def _folder(self, names: Sequence[str], *, make: bool = False) -> int:
        """The descriptor of a folder, which counts until the next call."""
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
