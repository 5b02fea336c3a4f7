"""Who reads the serving files: each view holds a shared lock, by which a writer knows that nobody else does.

The lock delays nobody. A reader that cannot have it goes on without, as one of a home that it may not write.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

NAME = "readers.lock"


class Reading:
    """That somebody reads the files of a folder, as long as this object is held."""

    def __init__(self, folder: Path) -> None:
        self._file = -1
        with suppress(OSError):
            self._file = _opened(folder)
            fcntl.flock(self._file, fcntl.LOCK_SH | fcntl.LOCK_NB)

    def __del__(self) -> None:
        if self._file >= 0:
            os.close(self._file)


@contextmanager
def away(folder: Path) -> Iterator[bool]:
    """Whether nobody reads the files of a folder, or begins to before this ends."""
    try:
        file = _opened(folder)
    except OSError:
        yield False
        return
    try:
        yield _alone(file)
    finally:
        os.close(file)


def _opened(folder: Path) -> int:
    return os.open(folder / NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)


def _alone(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
