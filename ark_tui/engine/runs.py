"""Unfinished runs of long work, stored in the table `jobs`.

A row survives when the process is killed, so that the next one resumes the run.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from ark_tui.domain.documents import content_hash
from ark_tui.domain.errors import Busy, Cancelled, Paused, UsageError
from ark_tui.domain.protocols import NEVER, Stop, given_up
from ark_tui.domain.work import Run

if TYPE_CHECKING:
    from ark_tui.store import Store

ID = 12  # characters


NAMED = "id, kind, what, collection, tags, paused, on_cluster"


class Runs:
    """The unfinished runs of a home (`engine.runs`). Thread-safe."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._hold = threading.RLock()
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
            lease.run("DELETE FROM ark.jobs WHERE id = ?", id_)

    @contextmanager
    def under_way(self, run: Run, stop: Stop = NEVER) -> Iterator[Stop]:
        """Execute a run in this block, and yield a stop token that is also set by `drop` and `pause`.

        The run is deleted when the block ends, fails with `UsageError` or is given up; otherwise it stays
        stored. Raises `Paused` after a pause, and `Busy` if another thread executes it: jobs of one lane wait
        for each other before they begin.
        """
        id_, active = self.id_of(run), _Active(run, stop, threading.get_ident())
        with self._hold:
            if id_ in self._active:
                raise Busy(f"{run.what or run.kind} is under way already.", "Wait for its end.")
            self._active[id_] = active
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
            del self._active[id_]

    # -- inside ------------------------------------------------------------------------------------

    def _known(self) -> dict[str, Run]:
        if self._rows is None:
            if not self._store.path.exists():
                return {}
            with self._store.read() as lease:
                rows = lease.rows(f"SELECT {NAMED} FROM ark.jobs ORDER BY id")
            self._rows = {
                str(id_): Run(kind, what, collection, tuple(tags), paused, on)
                for id_, kind, what, collection, tags, paused, on in rows
            }
        return self._rows

    def _put(self, run: Run) -> None:
        id_ = self.id_of(run)
        with self._store.write() as lease:
            lease.run("DELETE FROM ark.jobs WHERE id = ?", id_)
            lease.run(
                f"INSERT INTO ark.jobs ({NAMED}) VALUES (?, ?, ?, ?, ?, ?, ?)",
                *(id_, run.kind, run.what, run.collection, [*run.tags], run.paused, run.on),
            )
        with self._hold:
            self._known()[id_] = run


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
