"""Whose turn it is: a fair lock between processes, made of two `flock`s.

Whoever wants the store waits in the queue file, then for the store file, and gives the queue file back.
The next in line therefore holds the queue while it waits, so that a process that has just released the
store cannot take it again before its neighbour: with blind retries one of two processes was starved.

Who waits goes on waiting for as long as the lock changes hands or its holder works; a holder that does
neither, such as a stopped process, is given up after the timeout.
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

from ark_tui.domain.errors import Hint, StoreError, StoreLocked
from ark_tui.domain.failures import if_full
from ark_tui.domain.protocols import OnWait, ignore

RECORD = 64  # bytes: "pid commits total command", padded with blanks
STEP = 0.001  # seconds between two looks at a lock that is held
PAUSE = 0.1  # likewise at the file itself, held by a program that takes no turns
LONG = 1.5  # seconds of waiting that a person is told of
LONGEST = 60.0  # seconds that are waited at most (a longer timeout counts), however busy the others are
CHECKPOINT_EVERY = 4  # commits; each one left in the write-ahead log is replayed at every attach


class Holder(NamedTuple):
    """Who has the store: a process, 0 where it is not known, and its command."""

    process: int
    command: str


class _Wait:
    """One wait for a turn: over when nobody has moved for `timeout` seconds, or after `LONGEST`."""

    def __init__(self, timeout: float, movement: Callable[[], object]) -> None:
        self.since = self._moved = time.monotonic()
        self._timeout = timeout
        self._movement = movement
        self._seen = movement()

    def is_long(self) -> bool:
        return time.monotonic() - self.since > LONG

    def is_over(self) -> bool:
        now = time.monotonic()
        if now - self._moved <= self._timeout:
            return False
        seen, before = self._movement(), self._seen
        self._seen, self._moved = seen, now
        return seen == before or now - self.since > max(LONGEST, self._timeout)


class FileLock:
    """The lock files of one home. One per process; threads take turns by `mutex`."""

    def __init__(self, folder: Path, timeout: float, on_wait: OnWait = ignore) -> None:
        self._folder = folder
        self._timeout = timeout
        self._files: tuple[int, int] | None = None
        self.mutex = threading.Lock()
        self.on_wait = on_wait
        self._told = -LONGEST  # when it was last called
        self._waiting: _Wait | None = None  # of this process for another
        self._refused: Holder | None = None  # takes no turns, and has the file
        self._reading = False  # what the turn that is held, or waited for, is wanted for
        self._hurried = False

    @contextmanager
    def hold(self, *, shared: bool) -> Iterator[None]:
        """Wait for a turn, alone or with other readers.

        Raises `StoreLocked`, naming the holder, when none comes.
        """
        self._take_mutex()
        try:
            queue, store = self._open()
            self._reading = shared
            try:
                self._wait(queue, fcntl.LOCK_EX)
                try:
                    self._wait(store, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
                finally:
                    fcntl.flock(queue, fcntl.LOCK_UN)
            finally:
                self._waiting = None
            try:
                self._record(*self._counts())
                yield
            finally:
                if self._refused is None:
                    with suppress(OSError):  # a read-only home
                        os.utime(queue)  # the lock changes hands
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
                    self._waiting = _Wait(self._timeout, lambda: None)
                    self._record(*self._counts(), holder)  # others wait for that one, not for us
                self._look(self._waiting)
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
        wait = self._waiting
        return self._held_by() if wait is not None and wait.is_long() else ""

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
            raise if_full(error, self._folder.parent) or StoreError(
                f"The home {self._folder.parent} cannot be used: {error.filename}: {error.strerror}.",
                Hint.give(home=True, say="Choose another with ARK_HOME or {}, or make it writable."),
            ) from error

    def _take_mutex(self) -> None:
        """Wait for the other threads of this process, and with them for whom they wait."""
        if self.mutex.acquire(blocking=False):
            return
        wait = _Wait(self._timeout, self._movement)
        while not self.mutex.acquire(timeout=self._timeout):
            if not wait.is_over():
                continue
            if self._waiting is not None or self._refused is not None:
                raise self._locked()
            raise StoreLocked(
                "The store is busy in this process.", "Wait for the running work to end and try again."
            )

    def _wait(self, file: int, kind: int) -> None:
        while True:
            try:
                fcntl.flock(file, kind | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                if self._waiting is None:  # who has it is only asked for now: the system takes its time
                    self._waiting = _Wait(self._timeout, self._movement)
                self._look(self._waiting)
                time.sleep(STEP)

    def _look(self, wait: _Wait) -> None:
        """Between two attempts: say whom a long wait is for, and raise where it is over."""
        if (self._hurried and self._reading) or wait.is_over():
            raise self._locked()
        if wait.is_long() and time.monotonic() - self._told > LONGEST:
            self._told = time.monotonic()
            self.on_wait(f"The store is held by {self._held_by()}: waiting.")

    def _movement(self) -> object:
        """What changes while the lock goes from hand to hand, or the process that holds it works."""
        queue, _ = self._open()
        process, work = self._holder()[0], ""
        with suppress(OSError):  # it has ended, or the system tells nothing of processes
            work = Path(f"/proc/{process}/stat").read_text("ascii", "replace")
        return os.fstat(queue).st_mtime_ns, work.rpartition(")")[2].split()[11:13]

    def _locked(self) -> StoreLocked:
        return StoreLocked(
            f"The store is held by {self._held_by()}.", "Wait for it to finish or stop it, then try again."
        )

    def _counts(self) -> tuple[int, int]:
        """Commits since the last checkpoint, and all of them."""
        fields = [int(field) if field.isdigit() else 0 for field in self._read()[1:3]]
        commits, total = (*fields, 0, 0)[:2]
        return commits, total

    def _holder(self) -> Holder:
        """Who has the store, as that one has noted it; the system knows better where several read."""
        process, *fields = self._read() or ["0"]
        command = " ".join(fields[2:] if len(fields) > 2 and fields[1].isdigit() else fields[1:])
        noted = Holder(int(process) if process.lstrip("-").isdigit() else 0, command)
        if noted.process < 0:  # it takes no turns
            return noted._replace(process=-noted.process)
        if self._refused is not None and noted.process == os.getpid():
            return self._refused
        having = next(filter(None, map(_having, reversed(self._open()))), [noted.process])
        return noted if noted.process in having else Holder(having[0], _command(having[0]))

    def _held_by(self) -> str:
        process, command = self._holder()
        if not process:
            return f"another {'program' if self._refused else 'process'}"
        return f"process {process} ({command})" if command else f"process {process}"

    def _read(self) -> list[str]:
        assert self._files
        return os.pread(self._files[1], RECORD, 0).decode("ascii", "replace").split()

    def _record(self, commits: int, total: int, holder: Holder | None = None) -> None:
        """Write down the counts, and who has the store: this process, unless another one is named."""
        assert self._files
        ours = Holder(os.getpid(), " ".join([Path(sys.argv[0]).name, *sys.argv[1:2]]))
        process, command = holder._replace(process=-holder.process) if holder else ours
        line = f"{process} {commits} {total} {command}".encode("ascii", "replace")[:RECORD]
        with suppress(OSError):  # a read-only home: nobody to tell, nothing to count
            os.pwrite(self._files[1], line.ljust(RECORD), 0)


def _having(file: int) -> list[int]:
    """The processes that have locked an open file, where the system tells."""
    inode = str(os.fstat(file).st_ino)
    try:
        lines = [line.split() for line in Path("/proc/locks").read_text("ascii").splitlines()]
    except OSError:
        return []
    return [
        int(line[4])
        for line in lines
        if line[1] == "FLOCK" and line[4].isdigit() and line[5].rpartition(":")[2] == inode
    ]


def _command(process: int) -> str:
    try:
        words = Path(f"/proc/{process}/cmdline").read_text("utf-8", "replace").split("\0")
    except OSError:
        return ""
    return " ".join([Path(words[0]).name, *words[1:]])[:RECORD].strip()
