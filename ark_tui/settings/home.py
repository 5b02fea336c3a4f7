"""The home: one folder with all data of ark-tui."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from stat import S_ISLNK, S_ISREG
from threading import get_native_id
from typing import Any, NamedTuple
from zlib import crc32

from ark_tui.domain.errors import Hint, StoreError
from ark_tui.domain.failures import NotFlushed, if_full
from ark_tui.domain.untrusted import read_json
from ark_tui.domain.work import Space

OTHERS = 0o077  # all permissions of group and others
PRIVATE = 0o700  # permissions for the owner only: the home has personal notes


class _Place:
    """Descriptor for a path in the home."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, home: Home, _: type) -> Path:
        return home.path / self._name


@dataclass(frozen=True, slots=True)
class Home:
    """The paths of a home. Nothing is created before `create`."""

    path: Path

    config = _Place("config.toml")  # settings of the user
    store = _Place("ark.duckdb")  # primary data; all indexes are derived from it
    vectors = _Place("vectors")
    words = _Place("words")
    messages = _Place("messages")  # the word index of messages
    models = _Place("models")  # local models
    lock = _Place("home.lock")  # locked by the process that has the store open
    logs = _Place("logs")
    backups = _Place("backups")
    cache = _Place("cache")  # can be deleted at any time

    def begun(self) -> bool:
        """Whether this is a home, even a damaged one. Read-only operations do not touch any other folder."""
        return self.path.is_file() or any(one.exists() for one in (self.store, self.lock, self.config))

    def has_lost_store(self) -> bool:
        """Whether indexes exist without their store, so that their results would be invalid."""
        return not self.store.exists() and (self.words.exists() or self.vectors.exists())

    def create(self) -> bool:
        """Create the folder with permissions for its owner only; restrict those of an existing one.

        Returns whether others could read it before. Raises `StoreError` if the path is a file or cannot be
        written.
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
        """Paths in the home that others may access; with `tighten`, restrict them and return the failures."""
        found = []
        for path in (self.path, *below(self.path)):
            with suppress(OSError):  # deleted meanwhile, or owned by another user
                mode = path.lstat().st_mode
                if S_ISLNK(mode) or not mode & OTHERS:
                    continue
                found.append(path)
                if tighten:
                    path.chmod(mode & ~OTHERS & 0o7777)
                    found.pop()
        return found


MARKS = frozenset(("ark.duckdb", "home.lock"))
"""Files by which a used home is recognized."""


def is_home(path: Path) -> bool:
    """Whether a folder is a home or inside one. Homes are never indexed."""
    return any(all((folder / name).exists() for name in MARKS) for folder in (path, *path.parents))


def below(folder: Path) -> Iterator[Path]:
    """All paths below a folder. Folders deleted meanwhile are skipped."""
    for place, folders, files in os.walk(folder):
        yield from (Path(place, name) for name in (*folders, *files))


def size(folder: Path) -> int:
    """The total size in bytes of the files below a folder. Files deleted meanwhile are not counted."""
    return sum(size for _, size in _files(folder))


def remove(path: Path) -> None:
    """Remove a file or folder, if it exists; safe against concurrent removal."""
    while path.is_dir() and not path.is_symlink():
        import shutil

        with suppress(FileNotFoundError):
            shutil.rmtree(path)
    path.unlink(missing_ok=True)


def write_checked(path: Path, content: object) -> None:
    """Write JSON with a line that has its CRC-32 before it. Raises `OSError`."""
    data = json.dumps(content).encode()
    write_file(path, b"%08x\n" % crc32(data) + data)


def read_checked(path: Path) -> Any:
    """The content of a file written with `write_checked`; None if it is missing or damaged."""
    try:
        checksum, _, data = path.read_bytes().partition(b"\n")
        return read_json(data) if int(checksum, 16) == crc32(data) else None
    except (OSError, ValueError):
        return None


def write_file(path: Path, data: bytes, *, synced: bool = False, new: bool = False) -> None:
    """Write a small file atomically, readable only by the owner.

    `synced`: durable after a power failure; used for user data, not for derived data. `new`: raise
    `FileExistsError` if the file exists. On `OSError`, the old file stays, except on `NotFlushed`.
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
    except OSError:
        beside.unlink(missing_ok=True)
        raise
    if synced:
        try:
            sync_folder(path.parent)
        except OSError as error:
            raise NotFlushed(error.errno, error.strerror, str(path)) from error
    _sweep(path)


def _sweep(path: Path) -> None:
    """Remove temporary files of killed writers of this file."""
    for left in path.parent.glob(f"{path.name}.*"):
        process = left.suffix[1:]
        if process.isdigit() and not alive(int(process)):
            left.unlink(missing_ok=True)


def alive(process: int) -> bool:
    """Whether a process with this id exists."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # a process of another user
        pass
    return True


def sync_folder(path: Path) -> None:
    """Make creations, renames and removals in a folder durable (fsync)."""
    file = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(file)
    finally:
        os.close(file)


class Purpose(NamedTuple):
    """A category of files. `bound`: their limit in words; "" if they grow with the corpus."""

    name: str
    files: tuple[str, ...]
    bound: str = ""


PURPOSES = (
    Purpose("text and records", ("ark.duckdb*",)),
    Purpose("words", ("words/*",)),
    Purpose("message words", ("messages/*",)),
    Purpose("vectors", ("vectors/*",)),
    Purpose("models", ("models/*",)),
    Purpose("backups", ("backups/*",)),
    Purpose("query expansions", ("cache/expansions/*",), "2,000"),
    Purpose("other caches", ("cache/*",), "a file for each model"),
    Purpose("logs", ("logs/*",), "2 MB"),
    Purpose("other", ("*",)),
)


def by_purpose(home: Path) -> tuple[Space, ...]:
    """The size in bytes of a home by category, without empty categories."""
    found: Counter[str] = Counter()
    for name, size in _files(home):
        purpose = next(one for one in PURPOSES if any(fnmatchcase(name, part) for part in one.files))
        found[purpose.name] += size
    return tuple(Space(one.name, found[one.name], one.bound) for one in PURPOSES if found[one.name])


def _files(home: Path) -> Iterator[tuple[str, int]]:
    """Files with paths relative to the home and sizes. Files deleted meanwhile are skipped."""
    for path in below(home):
        with suppress(FileNotFoundError):
            stat = path.lstat()
            if S_ISREG(stat.st_mode):
                yield path.relative_to(home).as_posix(), stat.st_size
