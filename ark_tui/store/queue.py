"""Whose turn it is: a fair lock between processes, made of two `flock`s.

Whoever wants the store waits in the queue file, then for the store file, and gives the queue file back.
The next in line therefore holds the queue while it waits, so that a process that has just released the
store cannot take it again before its neighbour: with blind retries one of two processes was starved.
"""

from __future__ import annotations

import fcntl
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from ark_tui.domain.errors import StoreError, StoreLocked

RECORD = 64  # bytes: "pid commits total command", padded with blanks
STEP = 0.001  # seconds between two looks at a lock that is held
PAUSE = 0.1  # likewise at the file itself, held by a program that takes no turns
LONG = 1.5  # seconds of waiting that a person is told of
CHECKPOINT_EVERY = 16  # commits; each one left in the write-ahead log is replayed at every attach


class Holder(NamedTuple):
    """Who has the store: a process, 0 where it is not known, and its command."""

    process: int
    command: str


class Turn:
    """The lock files of one home. One per process; threads take turns by `mutex`."""

    def __init__(self, folder: Path, timeout: float) -> None:
        self._folder = folder
        self._timeout = timeout
        self._files: tuple[int, int] | None = None
        self.mutex = threading.Lock()
        self._waiting: float | None = None  # since when this process waits for another
        self._refused: Holder | None = None  # takes no turns, and has the file
        self._deadline = 0.0
        self._reading = False  # what the turn that is held, or waited for, is wanted for
        self._hurried = False

    @contextmanager
    def hold(self, *, shared: bool) -> Iterator[None]:
        """Wait for a turn, alone or with other readers.

        Raises `StoreLocked`, naming the holder, when none comes within the timeout.
        """
        if not self.mutex.acquire(timeout=self._timeout):
            if self._waiting is not None or self._refused is not None:
                raise self._locked()
            raise StoreLocked(
                "The store is busy in this process.", "Wait for the running work to end and try again."
            )
        try:
            queue, store = self._open()
            self._waiting = time.monotonic()
            self._deadline, self._reading = self._waiting + self._timeout, shared
            try:
                self._wait(queue, fcntl.LOCK_EX)
                try:
                    self._wait(store, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
                finally:
                    fcntl.flock(queue, fcntl.LOCK_UN)
            finally:
                self._waiting = None
            try:
                if not shared:
                    self._record(*self._counts())
                yield
            finally:
                fcntl.flock(store, fcntl.LOCK_UN)
        finally:
            self.mutex.release()

    def outlast(self, attempt: Callable[[], Holder | None]) -> None:
        """With a turn held: try until no program that takes no turns, such as a DuckDB shell, has the file.

        An attempt that was refused says by whom. Raises `StoreLocked` when the timeout is over.
        """
        try:
            while (holder := attempt()) is not None:
                self._refused = holder
                if self._waiting is None:
                    self._waiting = time.monotonic()
                    self._record(*self._counts(), holder)  # others wait for that one, not for us
                if self._is_late():
                    raise self._locked()
                time.sleep(PAUSE)
            self._refused = None
        finally:
            if self._waiting is not None:
                self._waiting = None
                self._record(*self._counts())

    def committed(self) -> bool:
        """Count a commit; true when it is time for a checkpoint. Only under an exclusive turn."""
        commits, total = self._counts()
        self._record(commits + 1, total + 1)
        return commits + 1 >= CHECKPOINT_EVERY

    def pending(self) -> int:
        """Commits since the last checkpoint, by whichever process."""
        self._open()
        return self._counts()[0]

    def total(self) -> int:
        """A number that grows with every commit, by whichever process: by a look at one small file."""
        self._open()
        return self._counts()[1]

    def checkpointed(self) -> None:
        """Start counting anew. Only under an exclusive turn."""
        self._record(0, self._counts()[1])

    def held_up(self) -> str:
        """Who has kept this process waiting for so long that it is worth a word; empty for nobody."""
        since = self._waiting
        return self._holder() if since is not None and time.monotonic() - since > LONG else ""

    def hurry(self) -> None:
        """From now on who only wants to read does not wait; what is to be written still does."""
        self._hurried = True

    def close(self) -> None:
        """Give the files back."""
        with self.mutex:
            for file in self._files or ():
                os.close(file)
            self._files = None

    def _open(self) -> tuple[int, int]:
        if self._files is None:
            self._files = (self._file("queue"), self._file("store"))
        return self._files

    def _file(self, name: str) -> int:
        path = self._folder / f"{name}.lock"
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if path.is_dir():
                path.rmdir()
            return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            with suppress(OSError):  # a read-only home can still be read under a lock
                if not path.is_dir():
                    return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            raise StoreError(
                f"The home {self._folder.parent} cannot be used: {error.filename}: {error.strerror}.",
                "Choose another with ARK_HOME or --home, or make it writable.",
            ) from error

    def _wait(self, file: int, kind: int) -> None:
        while True:
            try:
                fcntl.flock(file, kind | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                if self._is_late():
                    raise self._locked() from None
                time.sleep(STEP)

    def _is_late(self) -> bool:
        return time.monotonic() > self._deadline or (self._hurried and self._reading)

    def _locked(self) -> StoreLocked:
        return StoreLocked(
            f"The store is held by {self._holder()}.", "Wait for it to finish or stop it, then try again."
        )

    def _counts(self) -> tuple[int, int]:
        """Commits since the last checkpoint, and all of them."""
        fields = [int(field) if field.isdigit() else 0 for field in self._read()[1:3]]
        commits, total = (*fields, 0, 0)[:2]
        return commits, total

    def _holder(self) -> str:
        process, *fields = self._read() or [""]
        command = " ".join(fields[2:] if len(fields) > 2 and fields[1].isdigit() else fields[1:])
        if self._refused is not None and process == str(os.getpid()):
            process, command = str(self._refused.process), self._refused.command
        if process == "0":
            return "another program"
        return f"process {process} ({command})" if command else "another process"

    def _read(self) -> list[str]:
        assert self._files
        return os.pread(self._files[1], RECORD, 0).decode("ascii", "replace").split()

    def _record(self, commits: int, total: int, holder: Holder | None = None) -> None:
        """Write down the counts, and who has the store: this process, unless another one is named."""
        assert self._files
        ours = Holder(os.getpid(), " ".join([Path(sys.argv[0]).name, *sys.argv[1:2]]))
        process, command = holder or ours
        line = f"{process} {commits} {total} {command}".encode("ascii", "replace")[:RECORD]
        with suppress(OSError):  # a read-only home: nobody to tell, nothing to count
            os.pwrite(self._files[1], line.ljust(RECORD), 0)
