"""Runs of long work that have begun and not come to their end, kept in the home.

A run is a small file, locked by the process that is at it. Whatever ends that process, the system lets the
lock go and the file stays: a file that nobody has locked is work that was cut off, and whoever looks next
can go on with it. One run at a time, too: who wants the same waits, and then finds little left to do.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from ark_tui.domain.documents import content_hash
from ark_tui.domain.errors import Cancelled, StoreError, UsageError
from ark_tui.domain.protocols import NEVER, OnProgress, OnWait, Stop, check, ignore
from ark_tui.domain.work import Progress, Run

if TYPE_CHECKING:
    from pathlib import Path

    from ark_tui.settings import Home

LOOK = 0.05  # seconds between two looks at a run that another process is at
TELL = 1.0  # seconds of waiting after which it is told


class Runs:
    """`engine.runs`: what was begun in this home and is not finished."""

    def __init__(self, home: Home, on_wait: OnWait = ignore) -> None:
        self._home = home
        self._on_wait = on_wait
        self._folder: Path = home.locks / "runs"

    def unfinished(self) -> tuple[Run, ...]:
        """Runs that nobody is at: cut off, or paused."""
        return tuple(run for run, idle in self._kept() if run is not None and idle)

    def busy(self) -> bool:
        """Whether somebody is at a run, here or elsewhere."""
        return not all(idle for _, idle in self._kept())

    def pause(self, run: Run) -> None:
        """Remember that a run is to rest until somebody wants it to go on, whoever is at it now."""
        file = self._open(run)
        try:
            _write(file, replace(run, paused=True))
        finally:
            os.close(file)

    def drop(self, run: Run) -> None:
        """Forget a run: nobody wants it any more, or it is done."""
        self._path(run).unlink(missing_ok=True)

    @contextmanager
    def under_way(self, run: Run, stop: Stop = NEVER, progress: OnProgress = ignore) -> Iterator[None]:
        """Be at a run; it is forgotten when the block ends, and stays when it is cut off.

        While another process is at it, this one waits. Raises `Cancelled` when stopped before. What cannot
        be done at all (`UsageError`) is forgotten, too.
        """
        file = self._mine(run, stop, progress)
        try:
            _write(file, run)
            try:
                yield
            except UsageError:
                self.drop(run)
                raise
            self.drop(run)
        finally:
            os.close(file)

    # -- inside ------------------------------------------------------------------------------------

    def _kept(self) -> Iterator[tuple[Run | None, bool]]:
        """Every run with whether nobody is at it; None for one of which nothing has been written yet."""
        for path in sorted(self._folder.glob("*.json")):
            try:
                file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
            except OSError:
                continue  # it has just come to its end, or cannot be read: see `doctor`
            try:
                kept = _read(file), _locked(file)
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
            raise StoreError(
                f"The home cannot keep what is under way: {error.strerror or error}.",
                "Make the home writable, or choose another with ARK_HOME.",
            ) from error

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
