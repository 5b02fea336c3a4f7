"""The lock of a home: one `flock` on `home.lock`, held by the one process that has the store open.

The file also says who holds it, and how that process left the store's files after its last commit: a log that
is shorter than it was left has lost something that was acknowledged, which DuckDB takes for an end.
"""

from __future__ import annotations

import fcntl
import json
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from weakref import finalize

from ark_tui.domain.errors import Hint, StoreError, StoreLocked
from ark_tui.domain.failures import if_full
from ark_tui.domain.protocols import OnWait, ignore

STEP = 0.02  # seconds between two attempts
LONG = 1.5  # seconds of waiting after which a person is told
LONGEST_COMMAND = 120  # characters


class Holder(NamedTuple):
    """The process that has a home; 0 where it is not known."""

    process: int = 0
    command: str = ""

    def __str__(self) -> str:
        if not self.process:
            return "another process"
        return f"process {self.process} ({self.command})" if self.command else f"process {self.process}"


class Files(NamedTuple):
    """The store's file (bytes, time of change in nanoseconds) and the bytes of its log."""

    size: int = 0
    time: int = 0
    log: int = 0

    @classmethod
    def now(cls, path: Path) -> Files:
        """As they are; zeros for what is not there."""
        size, changed = _size_and_time(path)
        return cls(size, changed, _size_and_time(path.with_name(f"{path.name}.wal"))[0])

    def lost_by(self, now: Files) -> bool:
        """Whether the log has lost its end since: the file itself is the same, so it was not folded in."""
        return self[:2] == now[:2] and now.log < self.log


class HomeLock:
    """`home.lock` of one home. Not thread-safe: the store takes it once and gives it back once."""

    def __init__(self, path: Path, timeout: float, on_wait: OnWait = ignore) -> None:
        self.path = path
        self.timeout = timeout
        self.on_wait = on_wait
        self.read_only = False  # the home cannot be written: nobody is told who holds it
        self._file: int | None = None
        self._giving_back: finalize[..., HomeLock] | None = None
        self._left: Files | None = None

    @property
    def held(self) -> bool:
        """Whether this process has the home."""
        return self._file is not None

    def acquire(self) -> None:
        """Take the lock. Raises `StoreLocked`, which names the holder, when the timeout is over."""
        if self._file is not None:
            return
        file = self._opened()
        try:
            self.wait(lambda: _locked(file, shared=self.read_only), lambda: _read(file)[0])
        except BaseException:
            os.close(file)
            raise
        self._left = _read(file)[1]
        self._file, self._giving_back = file, finalize(self, os.close, file)
        self._write()

    def wait(self, attempt: Callable[[], bool], holder: Callable[[], Holder]) -> None:
        """Try until it succeeds. Raises `StoreLocked` when the timeout is over."""
        began, told = time.monotonic(), False
        while not attempt():
            waited = time.monotonic() - began
            if waited >= self.timeout:
                raise StoreLocked(
                    f"The home is in use by {holder()}.", "Wait for it to end, or stop it, then try again."
                )
            if waited >= LONG and not told:
                told = True
                self.on_wait(f"The home is in use by {holder()}: waiting.")
            time.sleep(STEP)

    def release(self) -> None:
        """Give the lock back."""
        if self._giving_back is not None:
            self._giving_back()
            self._file = self._giving_back = None

    @property
    def left(self) -> Files | None:
        """How the last process left the files; None where that is not known."""
        return self._left if self._file is not None else self._peek()

    def note(self, files: Files) -> None:
        """Write down how the files are now; where the disk refuses, the next one reads them all."""
        self._left = files
        self._write()

    def _peek(self) -> Files | None:
        try:
            file = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            return _read(file)[1]
        finally:
            os.close(file)

    def _opened(self) -> int:
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            return os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            with suppress(OSError):  # what may only be read can still be read under a lock
                self.read_only = True
                return os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
            raise if_full(error, self.path.parent) or StoreError(
                f"The home {self.path.parent} cannot be used: {error.filename}: {error.strerror}.",
                Hint.give(home=True, say="Choose another with ARK_HOME or {}, or make it writable."),
            ) from error

    def _write(self) -> None:
        if self._file is None or self.read_only:
            return
        command = " ".join([Path(sys.argv[0]).name, *sys.argv[1:2]])[:LONGEST_COMMAND]
        line = json.dumps([os.getpid(), command, list(self._left) if self._left else None]).encode()
        with suppress(OSError):
            os.pwrite(self._file, line, 0)
            os.ftruncate(self._file, len(line))


def _locked(file: int, *, shared: bool) -> bool:
    try:
        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _read(file: int) -> tuple[Holder, Files | None]:
    """What a lock file says; nothing where it is empty or damaged."""
    try:
        process, command, left = json.loads(os.pread(file, 4096, 0))
        return Holder(int(process), str(command)), Files(*map(int, left)) if left else None
    except (ValueError, TypeError):
        return Holder(), None


def _size_and_time(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return found.st_size, found.st_mtime_ns
