"""Unfinished runs of long work, stored in the table `jobs`.

A row survives when the process is killed, so a later process can resume the run. Each run is exclusive: a
thread that starts the same run waits for the other and then finds little left to do.
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

LOOK = 0.05  # seconds between two checks of the stop token while waiting for another thread
ID = 12  # characters
TELL = 1.0  # seconds of waiting before it is reported


class Runs:
    """The unfinished runs of a home (`engine.runs`). Thread-safe."""

    def __init__(self, store: Store, on_wait: OnWait = ignore) -> None:
        self._store = store
        self._on_wait = on_wait
        self._hold = threading.RLock()
        self._ended = threading.Condition(self._hold)
        self._rows: dict[str, Run] | None = None  # by id, as in the table
        self._active: dict[str, _Active] = {}

    def unfinished(self) -> tuple[Run, ...]:
        """Inactive runs: interrupted or paused."""
        return tuple(run for _, run, idle in self.kept() if idle)

    def busy(self, kind: str = "") -> bool:
        """Whether a run is active, of one kind or of any."""
        return any(kind in ("", one.run.kind) for one in [*self._active.values()])

    def kept(self) -> Iterator[tuple[str, Run, bool]]:
        """Every run as (id, run, whether it is inactive)."""
        with self._hold:
            found = [(id_, run, id_ not in self._active) for id_, run in self._known().items()]
        yield from found

    def id_of(self, run: Run) -> str:
        """The id of a run, a hash of its kind and subject."""
        return content_hash(f"{run.kind} {run.what}".encode())[:ID]

    def own(self, thread: int) -> tuple[Run, ...]:
        """The active runs of a thread, by its `ident`."""
        return tuple(one.run for one in [*self._active.values()] if one.thread == thread)

    def go_on(self, run: Run) -> None:
        """Clear the pause of a run; it is then resumed automatically."""
        self._put(replace(run, paused=False))

    def pause(self, *runs: Run) -> None:
        """Pause runs until they are resumed; their thread stops."""
        with self._hold:  # set all at once, as one thread may have several
            for run in runs:
                if active := self._active.get(self.id_of(run)):
                    active.paused = True
        for run in runs:
            self._put(replace(run, paused=True))

    def drop(self, run: Run) -> None:
        """Delete a run that is finished or cancelled; its thread stops."""
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
        """Execute a run in this block, and yield a stop token that is also set by `drop` and `pause`.

        Waits while another thread executes the same run; raises `Cancelled` if stopped meanwhile. The run is
        deleted when the block ends, fails with `UsageError` or is given up; otherwise it stays stored.
        Raises `Paused` after a pause.
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
        """Wait until no other thread executes the run, and register it for this thread."""
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
    """An active run and its stop token, which is also set when the run is dropped or paused."""

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
    """All stored runs, by id."""
    return {
        str(id_): Run(kind, what, collection, tuple(tags), paused, on)
        for id_, kind, what, collection, tags, paused, on in lease.rows(
            f"SELECT {', '.join(COLUMNS)} FROM ark.jobs ORDER BY id"
        )
    }


def put_row(lease: Lease, id_: str, run: Run) -> None:
    """Store a run, replacing the one with its id."""
    drop_row(lease, id_)
    lease.run(
        f"INSERT INTO ark.jobs ({', '.join(COLUMNS)}) VALUES (?, ?, ?, ?, ?, ?, ?)",
        *(id_, run.kind, run.what, run.collection, [*run.tags], run.paused, run.on),
    )


def drop_row(lease: Lease, id_: str) -> None:
    """Delete a run."""
    lease.run("DELETE FROM ark.jobs WHERE id = ?", id_)
