"""Temporary folders for whole copies of the store: gone when their process is."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from ark_tui.domain.errors import StoreError
from ark_tui.domain.failures import explained
from ark_tui.settings import Home
from ark_tui.settings.home import remove

PREFIX = ".ark-tui-copy-"
LOCK = "lock"
FLAGS = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
SPARE = 8 << 20  # bytes that are left free


@contextmanager
def folder(places: Sequence[Path], need: int) -> Iterator[Path]:
    """A folder of its own in the first place with room for `need` bytes; abandoned ones are removed before.

    Raises `StoreError` where none has room.
    """
    for place in places:
        sweep(place)
    roomy = [one for one in places if _free(one) >= need + SPARE]
    if not roomy:
        listed = ", ".join(str(one) for one in places)
        raise StoreError(
            f"There is no room for a copy of the store, {need:,} bytes, in {listed}. Nothing was changed.",
            "Free some space, or name a disk with room in TMPDIR.",
        )
    with own(roomy[0]) as path:
        yield path


@contextmanager
def own(place: Path) -> Iterator[Path]:
    """A folder of its own in a place. Raises `StoreError` where none can be made."""
    try:
        path, lock = _made(place)
    except OSError as error:
        why = error.strerror or error
        raise StoreError(f"{place} cannot be written: {why}.", "Make it writable, and make room.") from error
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
        os.close(lock)


def abandoned(home: Home) -> list[Path]:
    """The copies of the store that killed processes have left in a home."""
    return list(_left(home))


def clear(home: Home) -> None:
    """Remove them; raises `StoreError` where the disk refuses that."""
    with explained(home.path):
        for path in _left(home):
            remove(path)


def sweep(place: Path) -> None:
    """Remove what killed processes have left in a place."""
    for path in _abandoned(place):
        shutil.rmtree(path, ignore_errors=True)


def _left(home: Home) -> Iterator[Path]:
    yield from _abandoned(home.backups)
    yield from _abandoned(home.path)


def _made(place: Path) -> tuple[Path, int]:
    """A new folder in a place, and its lock, held."""
    while True:
        path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=place))
        with suppress(FileNotFoundError):  # swept before it was locked: another one
            lock = os.open(path / LOCK, FLAGS, 0o600)
            fcntl.flock(lock, fcntl.LOCK_EX)
            if (path / LOCK).exists():
                return path, lock
            os.close(lock)


def _abandoned(place: Path) -> Iterator[Path]:
    """The folders that no process holds, each locked until the next one is asked for."""
    for path in place.glob(f"{PREFIX}*"):
        with ExitStack() as held:
            try:
                lock = os.open(path / LOCK, FLAGS, 0o600)
                held.callback(os.close, lock)
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            except OSError:
                pass  # its removal will say why
            yield path


def _free(place: Path) -> int:
    try:
        return shutil.disk_usage(place).free if os.access(place, os.W_OK) else 0
    except OSError:
        return 0
