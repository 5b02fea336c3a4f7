"""Long work that was begun and has not come to its end, kept in the table `jobs` of the store.

A row stays when the process is killed: whatever opens the home next can go on with it. One run at a time: a
thread that wants the same waits, and then finds little left to do.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from ark_tui.domain.documents import content_hash
from ark_tui.domain.errors import Cancelled, Paused, UsageError
from ark_tui.domain.protocols import NEVER, OnProgress, OnWait, Stop, check, given_up, ignore
from ark_tui.domain.work import Progress, Run
from ark_tui.store.lease import Lease

if TYPE_CHECKING:
    from ark_tui.store import Store

LOOK = 0.05  # seconds between two looks at the stop token of a thread that waits for another
ID = 12  # characters
TELL = 1.0  # seconds of waiting after which a person is told


class Runs:
    """`engine.runs`: what was begun in this home and is not finished. Thread-safe."""

    def __init__(self, store: Store, on_wait: OnWait = ignore) -> None:
        self._store = store
        self._on_wait = on_wait
        self._hold = threading.RLock()
        self._ended = threading.Condition(self._hold)
        self._rows: dict[str, Run] | None = None  # by id, as in the table
        self._active: dict[str, _Active] = {}

    def unfinished(self) -> tuple[Run, ...]:
        """Runs that no thread is at: cut off, or paused."""
        return tuple(run for _, run, idle in self.kept() if idle)

    def busy(self, kind: str = "") -> bool:
        """Whether a thread is at a run, of one kind or of any."""
        return any(kind in ("", one.run.kind) for one in [*self._active.values()])

    def kept(self) -> Iterator[tuple[str, Run, bool]]:
        """Every run with its id, and whether no thread is at it."""
        with self._hold:
            found = [(id_, run, id_ not in self._active) for id_, run in self._known().items()]
        yield from found

    def id_of(self, run: Run) -> str:
        """The name of a run in calls that steer it; the same for equal work."""
        return content_hash(f"{run.kind} {run.what}".encode())[:ID]

    def own(self, thread: int) -> tuple[Run, ...]:
        """The runs that a thread is at."""
        return tuple(one.run for one in [*self._active.values()] if one.thread == thread)

    def go_on(self, run: Run) -> None:
        """A run that is paused is to go on by itself."""
        self._put(replace(run, paused=False))

    def pause(self, *runs: Run) -> None:
        """Runs are to rest until they are resumed; the thread that is at them stops."""
        with self._hold:  # a thread that is at several is told of all of them at once
            for run in runs:
                if active := self._active.get(self.id_of(run)):
                    active.paused = True
        for run in runs:
            self._put(replace(run, paused=True))

    def drop(self, run: Run) -> None:
        """Forget a run: it is done, or not wanted any more. The thread that is at it stops."""
        id_ = self.id_of(run)
        if active := self._active.get(id_):
            active.dropped = True
        with self._hold:
            if self._known().pop(id_, None) is None:
                return
        with self._store.write() as lease:
            drop_row(lease, id_)

    @contextmanager
    def under_way(self, run: Run, stop: Stop = NEVER, progress: OnProgress = ignore) -> Iterator[Stop]:
        """Be at a run; it is forgotten when the block ends, and stays when it is cut off.

        While another thread is at it, this one waits. Raises `Cancelled` when stopped before. What cannot be
        done at all (`UsageError`), or is given up, is forgotten, too. The stop token that it yields is also
        set when the run is dropped or paused.
        """
        id_ = self.id_of(run)
        active = self._mine(id_, _Active(run, stop, threading.get_ident()), progress)
        try:
            self._put(run)
            try:
                yield active
            except UsageError:
                self.drop(run)
                raise
            except (Cancelled, KeyboardInterrupt) as error:
                with self._hold:
                    paused = active.paused
                if given_up(stop):
                    self.drop(run)
                elif paused:
                    rests = Paused()
                    rests.jobs = (id_, *getattr(error, "jobs", ()))
                    raise rests from None
                raise
            self.drop(run)
        finally:
            with self._hold:
                del self._active[id_]
                self._ended.notify_all()

    # -- inside ------------------------------------------------------------------------------------

    def _known(self) -> dict[str, Run]:
        if self._rows is None:
            if not self._store.path.exists():
                return {}
            with self._store.read() as lease:
                self._rows = kept_rows(lease)
        return self._rows

    def _put(self, run: Run) -> None:
        id_ = self.id_of(run)
        with self._store.write() as lease:
            put_row(lease, id_, run)
        with self._hold:
            self._known()[id_] = run

    def _mine(self, id_: str, active: _Active, progress: OnProgress) -> _Active:
        """The run for this thread, as soon as no other thread is at it."""
        began, told = time.monotonic(), 0.0
        with self._hold:
            while id_ in self._active:
                check(active.stop)
                waited = time.monotonic() - began
                if waited > told + TELL:
                    if not told:
                        self._on_wait(f"{active.run.what or active.run.kind} is under way already: waiting.")
                    progress(Progress("wait", 0, None, "it is under way already"))
                    told = waited
                self._ended.wait(LOOK)
            self._active[id_] = active
        return active


class _Active:
    """A run under way, and its stop token: set, too, when the run is dropped or is to rest."""

    def __init__(self, run: Run, stop: Stop, thread: int) -> None:
        self.run = run
        self.stop = stop
        self.thread = thread
        self.paused = False
        self.dropped = False

    @property
    def given_up(self) -> bool:
        return given_up(self.stop)

    def is_set(self) -> bool:
        return self.paused or self.dropped or self.stop.is_set()


COLUMNS = {
    "id": "VARCHAR", "kind": "VARCHAR", "what": "VARCHAR", "collection": "VARCHAR", "tags": "VARCHAR[]",
    "paused": "BOOLEAN", "on_cluster": "VARCHAR",
}  # fmt: skip


def kept_rows(lease: Lease) -> dict[str, Run]:
    """All of it, by id."""
    return {
        str(id_): Run(kind, what, collection, tuple(tags), paused, on)
        for id_, kind, what, collection, tags, paused, on in lease.rows(
            f"SELECT {', '.join(COLUMNS)} FROM ark.jobs ORDER BY id"
        )
    }


def put_row(lease: Lease, id_: str, run: Run) -> None:
    """Keep a run, in place of the one with its id."""
    drop_row(lease, id_)
    lease.run(
        f"INSERT INTO ark.jobs ({', '.join(COLUMNS)}) VALUES (?, ?, ?, ?, ?, ?, ?)",
        *(id_, run.kind, run.what, run.collection, [*run.tags], run.paused, run.on),
    )


def drop_row(lease: Lease, id_: str) -> None:
    """Forget a run."""
    lease.run("DELETE FROM ark.jobs WHERE id = ?", id_)
