"""The home: one folder with everything that ark-tui keeps."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from stat import S_ISLNK, S_ISREG
from threading import get_native_id
from typing import NamedTuple
from zlib import crc32

from ark_tui.domain.errors import Hint, StoreError
from ark_tui.domain.failures import if_full
from ark_tui.domain.work import Space

OTHERS = 0o077  # all rights of all but the owner
PRIVATE = 0o700  # the home holds people's notes


class _Place:
    """A file or folder of the home, by its name."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, home: Home, _: type) -> Path:
        return home.path / self._name


@dataclass(frozen=True, slots=True)
class Home:
    """Where everything lies. Nothing is made before `create`."""

    path: Path

    config = _Place("config.toml")  # what the user has set
    store = _Place("ark.duckdb")  # the truth
    vectors = _Place("vectors")
    words = _Place("words")
    messages = _Place("messages")  # the word index of messages
    message_vectors = _Place("message_vectors")  # where somebody has asked for them
    models = _Place("models")  # those that a person has added, to run in process
    lock = _Place("home.lock")  # held by the process that has the store open
    logs = _Place("logs")
    backups = _Place("backups")
    cache = _Place("cache")  # what can be deleted at any time

    def begun(self) -> bool:
        """Whether this is a home, be it damaged: any other folder is left alone by what only reads."""
        return self.path.is_file() or any(one.exists() for one in (self.store, self.lock, self.config))

    def has_lost_store(self) -> bool:
        """Whether the indexes of a store are here, and the store is not: what they answer cannot be true."""
        return not self.store.exists() and (self.words.exists() or self.vectors.exists())

    def create(self) -> bool:
        """Make the folder, for its owner alone; one that is there is taken away from everybody else.

        Returns whether others could read it. Raises `StoreError` where a file is in the way or nothing may
        be written.
        """
        if self.path.is_dir():
            return bool(self.path.stat().st_mode & OTHERS) and not self.shared(tighten=True)
        elsewhere = Hint.give(home=True, say="Choose another home with {} or ARK_HOME.")
        if self.path.exists() or self.path.is_symlink():
            raise StoreError(f"The home {self.path} is not a folder.", elsewhere)
        try:
            self.path.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
        except OSError as error:
            raise if_full(error, self.path) or StoreError(
                f"The home {self.path} cannot be made: {error.strerror or error}.", elsewhere
            ) from error
        return False

    def shared(self, *, tighten: bool = False) -> list[Path]:
        """What in the home others may read or write; `tighten`: what cannot be taken away from them."""
        found = []
        for path in (self.path, *below(self.path)):
            with suppress(OSError):  # gone meanwhile, or not ours to change
                mode = path.lstat().st_mode
                if S_ISLNK(mode) or not mode & OTHERS:
                    continue
                found.append(path)
                if tighten:
                    path.chmod(mode & ~OTHERS & 0o7777)
                    found.pop()
        return found


MARKS = frozenset(("ark.duckdb", "home.lock"))
"""What is in every home that has been used, and together in no other folder."""


def is_home(path: Path) -> bool:
    """Whether a folder, or one that it lies in, is a home: no home is ever indexed."""
    return any(all((folder / name).exists() for name in MARKS) for folder in (path, *path.parents))


def below(folder: Path) -> Iterator[Path]:
    """All that lies below a folder, while others write there: a folder that goes meanwhile is passed over."""
    for place, folders, files in os.walk(folder):
        yield from (Path(place, name) for name in (*folders, *files))


def size(folder: Path) -> int:
    """The bytes of the files below a folder; those that go meanwhile are not counted."""
    total = 0
    for path in below(folder):
        with suppress(FileNotFoundError):
            found = path.lstat()
            total += found.st_size if S_ISREG(found.st_mode) else 0
    return total


def remove(path: Path) -> None:
    """Remove whatever lies there, be it a file or a folder; others may be removing it, too."""
    while path.is_dir() and not path.is_symlink():
        import shutil

        with suppress(FileNotFoundError):
            shutil.rmtree(path)
    path.unlink(missing_ok=True)


def checked(data: bytes) -> bytes:
    """A file's content with a checksum before it."""
    return b"%08x\n" % crc32(data) + data


def read_checked(path: Path) -> bytes | None:
    """What was written as `checked`; None where there is no file, or a damaged one."""
    try:
        checksum, _, data = path.read_bytes().partition(b"\n")
        return data if int(checksum, 16) == crc32(data) else None
    except (OSError, ValueError):
        return None


def write_file(path: Path, data: bytes, *, synced: bool = False, new: bool = False) -> None:
    """Write a small file as a whole, for its owner alone: readers see the old one or the new one.

    `synced`: also after a power cut, for what a person has made; what is derived is made again instead.
    `new`: raises `FileExistsError` where there is a file already. On `OSError` the old file stays.
    """
    path.parent.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
    beside = path.with_name(f"{path.name}.{get_native_id()}.{os.getpid()}")
    try:
        with open(beside, "wb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(data)
            if synced:
                file.flush()
                os.fsync(file.fileno())
        if new:
            os.link(beside, path)
            beside.unlink()
        else:
            beside.replace(path)
        if synced:
            sync_folder(path.parent)
    except OSError:
        beside.unlink(missing_ok=True)
        raise
    _sweep(path)


def _sweep(path: Path) -> None:
    """Remove what writers of this file have left that were killed."""
    for left in path.parent.glob(f"{path.name}.*"):
        process = left.suffix[1:]
        if process.isdigit() and not alive(int(process)):
            left.unlink(missing_ok=True)


def alive(process: int) -> bool:
    """Whether there is a process of this number."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # somebody else's
        pass
    return True


def sync_folder(path: Path) -> None:
    """See to it that what was made, renamed or removed in a folder stays so when the machine stops."""
    file = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(file)
    finally:
        os.close(file)


class Purpose(NamedTuple):
    """What files are for. `bound`: how much of them is kept at most; empty for what grows with the corpus."""

    name: str
    files: tuple[str, ...]
    bound: str = ""


PURPOSES = (
    Purpose("text and records", ("ark.duckdb*",)),
    Purpose("words", ("words/*",)),
    Purpose("message words", ("messages/*",)),
    Purpose("vectors", ("vectors/*", "message_vectors/*")),
    Purpose("models", ("models/*",)),
    Purpose("backups", ("backups/*",)),
    Purpose("analysis cache", ("cache/analysis/*",), "two states of the corpus"),
    Purpose("query expansions", ("cache/expansions/*",), "2,000"),
    Purpose("other caches", ("cache/*",), "a file for each model"),
    Purpose("logs", ("logs/*",), "2 MB"),
    Purpose("other", ("*",)),
)


def by_purpose(home: Path) -> tuple[Space, ...]:
    """The bytes of a home by what they are for; what takes none is left out."""
    found: Counter[str] = Counter()
    for name, size in _files(home):
        found[next(one.name for one in PURPOSES if any(fnmatchcase(name, part) for part in one.files))] += (
            size
        )
    return tuple(Space(one.name, found[one.name], one.bound) for one in PURPOSES if found[one.name])


def _files(home: Path) -> Iterator[tuple[str, int]]:
    """The files by their path in the home, with their sizes; those that go meanwhile are left out."""
    for path in below(home):
        with suppress(FileNotFoundError):
            stat = path.lstat()
            if S_ISREG(stat.st_mode):
                yield path.relative_to(home).as_posix(), stat.st_size
