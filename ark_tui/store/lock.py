"""The lock of a home: an `flock` on `home.lock`, held by the process that has the store open.

The file also names the holder, and records the sizes of the store's files after its last commit. If the log
is shorter than recorded, acknowledged data was lost; DuckDB itself would take the cut for the end of the log.
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
LONG = 1.5  # seconds of waiting after which the user gets a message
LONGEST_COMMAND = 120  # characters


class Holder(NamedTuple):
    """The process that holds the lock; 0 if unknown."""

    process: int = 0
    command: str = ""

    def __str__(self) -> str:
        if not self.process:
            return "another process"
        return f"process {self.process} ({self.command})" if self.command else f"process {self.process}"


class Files(NamedTuple):
    """The store's file (bytes, modification time in nanoseconds) and the bytes of its log."""

    size: int = 0
    time: int = 0
    log: int = 0

    @classmethod
    def now(cls, path: Path) -> Files:
        """The current sizes; zeros for missing files."""
        size, changed = _size_and_time(path)
        return cls(size, changed, _size_and_time(path.with_name(f"{path.name}.wal"))[0])

    def lost_by(self, now: Files) -> bool:
        """Whether the log was truncated: shorter than recorded, with the file unchanged (no checkpoint)."""
        return self[:2] == now[:2] and now.log < self.log


class HomeLock:
    """`home.lock` of one home. Not thread-safe: the store acquires and releases it once."""

    def __init__(self, path: Path, timeout: float, on_wait: OnWait = ignore) -> None:
        self.path = path
        self.timeout = timeout
        self.on_wait = on_wait
        self.read_only = False  # the home is read-only: the holder is not recorded
        self._file: int | None = None
        self._giving_back: finalize[..., HomeLock] | None = None
        self._left: Files | None = None

    @property
    def held(self) -> bool:
        """Whether this process holds the lock."""
        return self._file is not None

    def acquire(self) -> None:
        """Acquire the lock. Raises `StoreLocked`, which names the holder, after the timeout."""
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
        """Retry until the attempt succeeds. Raises `StoreLocked` after the timeout."""
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
        """Release the lock."""
        if self._giving_back is not None:
            self._giving_back()
            self._file = self._giving_back = None

    @property
    def left(self) -> Files | None:
        """The files as the last process recorded them; None if unknown."""
        return self._left if self._file is not None else self._peek()

    def note(self, files: Files) -> None:
        """Record the current state of the files. If that fails, the next process verifies the whole store."""
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
            with suppress(OSError):  # a read-only file can still be read under a lock
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
    """The content of a lock file; empty if the file is empty or damaged."""
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
