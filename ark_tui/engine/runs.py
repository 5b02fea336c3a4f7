"""Runs of long work that have begun and not come to their end, kept in the home.

A run is a small file, locked by the process that is at it. Whatever ends that process, the system lets the
lock go and the file stays: a file that nobody has locked is work that was cut off, and whoever looks next
can go on with it. One run at a time, too: who wants the same waits, and then finds little left to do.
"""

from __future__ import annotations

import fcntl
import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path

from ark_tui.domain.documents import content_hash
from ark_tui.domain.errors import Cancelled, Paused, StoreError, UsageError
from ark_tui.domain.failures import not_written
from ark_tui.domain.protocols import NEVER, OnProgress, OnWait, Stop, check, given_up, ignore
from ark_tui.domain.work import Progress, Run
from ark_tui.settings import Home

LOOK = 0.05  # seconds between two looks at a run that another process is at
ASK = 0.5  # seconds between two looks at whether a run is still wanted
ID = 12  # characters of a file's name that tell a run apart
TELL = 1.0  # seconds of waiting after which it is told


class Runs:
    """`engine.runs`: what was begun in this home and is not finished."""

    def __init__(self, home: Home, on_wait: OnWait = ignore) -> None:
        self._home = home
        self._on_wait = on_wait
        self._folder: Path = home.locks / "runs"
        self._own: dict[Run, int] = {}  # with the thread that is at it

    def unfinished(self) -> tuple[Run, ...]:
        """Runs that nobody is at: cut off, or paused."""
        return tuple(run for _, run, idle in self._kept() if run is not None and idle)

    def busy(self) -> bool:
        """Whether somebody is at a run, here or elsewhere."""
        return not all(idle for _, _, idle in self._kept())

    def kept(self) -> Iterator[tuple[str, Run, bool]]:
        """Every run with its id, and whether nobody is at it."""
        for path, run, idle in self._kept():
            if run is not None:
                yield path.stem[:ID], run, idle

    def id_of(self, run: Run) -> str:
        """What a run is called by whoever steers it: the same in every process."""
        return self._path(run).stem[:ID]

    def own(self, thread: int) -> tuple[Run, ...]:
        """The runs that a thread of this process is at."""
        return tuple(run for run, at in self._own.items() if at == thread)

    def go_on(self, run: Run) -> None:
        """A run that rests is to go on by itself."""
        file = self._open(run)
        try:
            _write(file, replace(run, paused=False))
        finally:
            os.close(file)

    def pause(self, run: Run) -> None:
        """A run is to rest until somebody wants it to go on; whoever is at it now stops."""
        file = self._open(run)
        try:
            _write(file, replace(run, paused=True))
        finally:
            os.close(file)

    def drop(self, run: Run) -> None:
        """Forget a run: nobody wants it any more, or it is done. Whoever is at it stops."""
        self._path(run).unlink(missing_ok=True)

    @contextmanager
    def under_way(self, run: Run, stop: Stop = NEVER, progress: OnProgress = ignore) -> Iterator[Stop]:
        """Be at a run; it is forgotten when the block ends, and stays when it is cut off.

        While another process is at it, this one waits. Raises `Cancelled` when stopped before. What cannot
        be done at all (`UsageError`), or is given up, is forgotten, too. The stop token that it yields is
        also set when somebody drops or pauses the run, in whatever process.
        """
        file = self._mine(run, stop, progress)
        wanted = _Wanted(stop, file, self._path(run))
        self._own[run] = threading.get_ident()
        try:
            _write(file, run)
            try:
                yield wanted
            except UsageError:
                self.drop(run)
                raise
            except (Cancelled, KeyboardInterrupt) as error:
                if given_up(stop):
                    self.drop(run)
                elif wanted.paused():
                    rests = Paused()
                    rests.jobs = (self.id_of(run), *getattr(error, "jobs", ()))
                    raise rests from None
                raise
            self.drop(run)
        finally:
            self._own.pop(run, None)
            os.close(file)

    # -- inside ------------------------------------------------------------------------------------

    def _kept(self) -> Iterator[tuple[Path, Run | None, bool]]:
        """Every run with its file, and whether nobody is at it; None for one that is not written yet."""
        for path in sorted(self._folder.glob("*.json")):
            try:
                file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
            except OSError:
                continue  # it has just come to its end, or cannot be read: see `doctor`
            try:
                kept = path, _read(file), _locked(file)
            finally:
                os.close(file)
            yield kept

    def _path(self, run: Run) -> Path:
        return self._folder / f"{content_hash(f'{run.kind} {run.what}'.encode())[:24]}.json"

    def _open(self, run: Run) -> int:
        self._home.create()
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            return os.open(self._path(run), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise not_written(error, self._path(run)) from error

    def _mine(self, run: Run, stop: Stop, progress: OnProgress) -> int:
        """The run's file, locked. One that was dropped while it was waited for is made anew."""
        began = time.monotonic()
        tell = began + TELL
        while True:
            file = self._open(run)
            try:
                if _locked(file) and _same(file, self._path(run)):
                    return file
                check(stop)
            except Cancelled:
                os.close(file)
                raise
            os.close(file)
            if time.monotonic() >= tell:
                if tell == began + TELL:
                    self._on_wait(f"Another process is at {run.what} already: waiting.")
                progress(Progress("wait", 0, None, "another process is at it"))
                tell += TELL
            time.sleep(LOOK)


class _Wanted:
    """The stop token of a run: set, too, when its file is gone, or says that it is to rest."""

    def __init__(self, stop: Stop, file: int, path: Path) -> None:
        self._stop = stop
        self._file = file
        self._path = path
        self._over = False
        self._next = time.monotonic() + ASK

    @property
    def given_up(self) -> bool:
        return given_up(self._stop)

    def is_set(self) -> bool:
        if self._stop.is_set():
            return True
        if not self._over and time.monotonic() >= self._next:
            self._next = time.monotonic() + ASK
            self._over = self.paused() or not _same(self._file, self._path)
        return self._over

    def paused(self) -> bool:
        """Whether the run is to rest."""
        run = _read(self._file)
        return run is not None and run.paused


def _locked(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _same(file: int, path: Path) -> bool:
    """Whether an open file is still the one at its place."""
    try:
        return os.fstat(file).st_ino == path.stat().st_ino
    except FileNotFoundError:
        return False


def _write(file: int, run: Run) -> None:
    """In place: the lock is on this very file. What is left of a longer text behind it is not read."""
    data = json.dumps(asdict(run)).encode()
    try:
        os.pwrite(file, data, 0)
        os.ftruncate(file, len(data))
    except OSError as error:
        raise StoreError(
            f"The home cannot keep what is under way: {error.strerror or error}.",
            "Free some space, then try again.",
        ) from error


def _read(file: int) -> Run | None:
    """What is in a file; None for one that was cut off before anything was in it."""
    size = os.fstat(file).st_size
    try:
        found, _ = json.JSONDecoder().raw_decode(os.pread(file, size, 0).decode("utf-8"))
        return Run(**{**found, "tags": tuple(found["tags"])})
    except (ValueError, TypeError, KeyError):
        return None
