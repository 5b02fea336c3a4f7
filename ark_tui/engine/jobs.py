"""Long work of one home, started by a user or by the home. Thread-safe.

Each lane runs one job at a time; lanes run in parallel. A paused job stops at a safe point and is stored as
a run: it holds no resources and resumes where it stopped. Pauses and interruptions thus survive the process
(`runs`).
"""

from __future__ import annotations

import logging
import threading
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from ark_tui.domain import failures
from ark_tui.domain.errors import ArkError, Busy, Cancelled, Hint, NotFound, Paused, UsageError
from ark_tui.domain.jobs import (
    LIVE,
    Failure,
    Job,
    JobEntry,
    JobResult,
    JobState,
    Listener,
    Wish,
    Work,
    cancelled,
    entry_of,
)
from ark_tui.domain.protocols import NEVER, OnProgress, Stop, ignore
from ark_tui.domain.work import IndexReport, Progress, Run

if TYPE_CHECKING:
    from ark_tui.engine.runs import Runs

CarryOut: TypeAlias = Callable[[JobEntry, Stop, OnProgress], JobResult | None]
"""Does a job that has no `work` of its own."""

KEPT = 100  # finished jobs kept in memory
AT_ONCE = 2  # requested calls running or waiting at a time

LOOK = 0.05  # seconds between two checks whether a waiting caller has stopped

log = logging.getLogger("ark_tui.jobs")


@dataclass(slots=True)
class _Lane:
    """The running job, if any, and the thread of the running or last job."""

    entry: JobEntry | None = None
    thread: threading.Thread | None = None


class Jobs:
    """The jobs of a home (`engine.jobs`). Thread-safe."""

    def __init__(self, runs: Runs, now: Callable[[], datetime], carry_out: CarryOut) -> None:
        """`carry_out` does a job that has no `work` of its own."""
        self.listeners: list[Listener] = []
        self.carry_out = carry_out
        self._runs = runs
        self._now = now
        self._entries: dict[str, JobEntry] = {}
        self._lanes: dict[str, _Lane] = {}
        self._rests: dict[str, tuple[str, ...]] = {}  # paused calls, with the ids of their runs
        self.hold = threading.RLock()
        self._closed = False

    # -- queries -------------------------------------------------------------------------------------

    @property
    def live(self) -> list[JobEntry]:
        """Unfinished jobs of this process, oldest first."""
        with self.hold:
            return [entry for entry in self._entries.values() if entry.state in LIVE]

    def find(self, subject: str) -> JobEntry | None:
        """The unfinished job with a subject, or None."""
        return next((entry for entry in self.live if entry.subject == subject), None)

    def latest(self, kind: str) -> JobEntry | None:
        """The newest job of a kind in this process, in any state."""
        with self.hold:
            return next((one for one in reversed([*self._entries.values()]) if one.kind == kind), None)

    def busy(self, lane: str) -> bool:
        """Whether a lane has a running job."""
        at = self._lanes.get(lane)
        return at is not None and at.entry is not None

    def get(self, job_id: str) -> JobEntry:
        """A job of this process. Raises `NotFound`."""
        with self.hold:
            entry = self._entries.get(job_id)
        if entry is None:
            raise NotFound(f"There is no job {job_id}.", Hint.run("jobs list", say="List them: {}."))
        return entry

    def all(self) -> tuple[Job, ...]:
        """Jobs of this process, newest first; then other running, paused and interrupted runs."""
        with self.hold:
            here = [*self._entries.values()][::-1]
        mine = {_about(run) for entry in here if entry.state in LIVE for run in self._runs_of(entry)}
        others = [_of(name, run, idle) for name, run, idle in self._runs.kept() if _about(run) not in mine]
        return (*(entry.job for entry in here), *others)

    def show(self, job_id: str) -> Job:
        """A job of any process. Raises `NotFound`."""
        names = self._rests.get(job_id, (job_id,))
        found = next((job for job in self.all() if job.id in names), None)
        return found or self.get(job_id).job

    def unfinished(self) -> list[JobEntry]:
        """Jobs for unfinished runs of this home that have no job in this process."""
        here = {_about(entry.run) for entry in self.live}
        runs = () if self._closed else self._runs.unfinished()
        return [entry_of(run) for run in runs if _about(run) not in here]

    # -- control -------------------------------------------------------------------------------------

    def take(self, entry: JobEntry) -> str:
        """Run a job now or queue it; return a message, possibly empty."""
        with self.hold:
            there = self.find(entry.subject)
            if there is not None:
                return self._join(there, entry)
            self._add(entry)
            waits = entry.state == "waiting" and entry.kind == "index"
        return f"{entry.name} comes next." if waits else ""

    def start(self, kind: str, work: Work, what: str = "", *, own: bool = False) -> JobEntry:
        """Run a function in a thread, now or queued. Raises `Busy` if too many were requested.

        `own`: automatic work of the home. It is always accepted, and not listed if it had nothing to do (its
        work returns None).
        """
        with self.hold:
            asked = [one for one in self.live if one.work is not None and not one.own]
            if not own and len(asked) >= AT_ONCE:
                raise Busy(
                    f"{AT_ONCE} jobs are running already.",
                    Hint.run("jobs list", say="Wait for one, or cancel one: {}."),
                )
            entry = JobEntry(kind, work=work, what=what, own=own)
            self._add(entry)
        return entry

    def call(
        self, kind: str, work: Work, begun: Callable[[str], object] = ignore, stop: Stop = NEVER
    ) -> JobResult | None:
        """Run a function as a job and wait for its end. `begun` is called with the job's id.

        The job is cancelled when `stop` is set, even while queued. Raises the job's error, or `Paused` if it
        was paused.
        """
        entry = self.start(kind, work)
        begun(entry.id)
        while not entry.over.wait(None if stop is NEVER else LOOK):
            if stop.is_set() and not entry.wish:
                self.cancel(entry.id)
        if entry.state == "paused":
            hint = Hint.run("jobs resume", *self._rests[entry.id][:1], say="{} continues it.")
            raise Paused(f"{entry.title} was paused.", hint)
        if entry.cause is not None:
            raise entry.cause
        return entry.result

    def pause(self, job_id: str) -> Job:
        """Pause a job between two steps until it is resumed, also by another process.

        Raises `UsageError` for a job that cannot continue where it stopped.
        """
        with self.hold:
            entry = self._live(job_id)
            if entry is not None and entry.wish:
                return entry.job  # it is stopping already
            runs = self._runs_of(entry) if entry else self._others(job_id)
            if not runs:
                self.get(job_id)
                raise UsageError(f"The job {job_id} cannot be paused.", "Cancel it, or wait for its end.")
            self._runs.pause(*runs)
            if entry is not None and entry.state == "running":
                self._stop(entry, "pause")
            elif entry is not None and entry.state == "waiting":
                entry.rest()
            self._moved()
            return self.show(job_id)

    def resume(self, job_id: str) -> Job:
        """Resume a paused job, in any process that has the home open. Raises `UsageError`."""
        with self.hold:
            entry, others = self._live(job_id), self._others(job_id)
            if entry is not None and entry.state == "paused":
                self._go_on(entry)
            elif any(run.paused for run in others):
                for run in others:
                    self._runs.go_on(run)
            else:
                raise UsageError(f"The job {job_id} is not paused.", "Only a paused job can be resumed.")
            return self.show(job_id)

    def cancel(self, job_id: str) -> Job:
        """Cancel a job between two steps; finished work is kept."""
        with self.hold:
            entry, job = self._live(job_id), self.show(job_id)
            if entry is not None:
                self._give_up(entry, "cancel")
                return entry.job
            for run in self._others(job_id):
                self._runs.drop(run)
            return job

    def removed(self, folder: Path) -> None:
        """Cancel the job of a folder that is no longer indexed."""
        with self.hold:
            if (entry := self.find(str(folder))) is not None:
                self._give_up(entry, "remove")

    def renamed(self, folder: Path, name: str) -> None:
        """Update the collection name in a waiting or paused job of a folder."""
        with self.hold:
            entry = self.find(str(folder))
            if entry is not None and entry.run and entry.collection and entry.state != "running":
                entry.collection = name
                if entry.state == "paused":
                    self._runs.pause(entry.run)
                self._moved()

    def postpone(self, entry: JobEntry, due: float, at: Progress | None = None) -> None:
        """Delay a waiting job until `due` (monotonic clock, 0 for now); `at` shows the reason."""
        with self.hold:
            entry.due, entry.progress = due, at
            self._next(entry.lane)

    def leave(self, entry: JobEntry) -> None:
        """End a postponed job that has nothing to do."""
        with self.hold:
            self._over(entry, None, None)

    # -- the thread of a job -------------------------------------------------------------------------

    def _run(self, entry: JobEntry) -> None:
        result, failure = None, None
        try:
            if entry.work is not None:
                result = entry.work(entry.stop, partial(self._heard, entry))
            else:
                result = self.carry_out(entry, entry.stop, partial(self._heard, entry))
        except ArkError as error:
            failure = error
        except Exception as error:
            log.exception("job %s", entry.kind)
            failure = failures.in_words(error)
        with self.hold:
            if self._lanes[entry.lane].entry is entry:
                self._finish(entry, result, failure)

    def _heard(self, entry: JobEntry, at: Progress) -> None:
        """Record the progress of a job."""
        with self.hold:
            entry.move(at)
            self._moved()

    def notice(self, notice: str) -> None:
        """Report a failure that aborted nothing to the listeners."""
        for listener in self.listeners:
            listener.noticed(notice)

    def close(self) -> None:
        """Stop all jobs of this process between two steps, and wait for their threads.

        Interrupted runs stay stored and can be resumed.
        """
        with self.hold:
            self._closed = True
            for entry in self.live:
                if entry.kind == "look" and entry.state == "running" and entry.run:
                    self._runs.drop(entry.run)  # the next one checks everything anyway
                entry.stop.set()
                if entry.state == "waiting":
                    self._over(entry, None, Cancelled())
            working = [lane.thread for lane in self._lanes.values() if lane.thread is not None]
        for thread in working:
            thread.join()
        self._closed = False

    # -- inside ------------------------------------------------------------------------------------

    def _live(self, job_id: str) -> JobEntry | None:
        entry = self._entries.get(job_id)
        return entry if entry is not None and entry.state in LIVE else None

    def _others(self, job_id: str) -> list[Run]:
        """Stored runs with the id of a job, also of a paused call."""
        names = self._rests.get(job_id, (job_id,))
        return [run for name, run, _ in self._runs.kept() if name in names]

    def _runs_of(self, entry: JobEntry) -> list[Run]:
        """The runs of a job."""
        if entry.run is not None:
            return [entry.run]
        lane = self._lanes.get(entry.lane)
        if lane is None or lane.entry is not entry or lane.thread is None or lane.thread.ident is None:
            return []
        return [*self._runs.own(lane.thread.ident)]

    def _add(self, entry: JobEntry) -> None:
        run = entry.run if entry.kind != "model" else None  # it shares the run of embedding
        entry.id = self._runs.id_of(run) if run else uuid.uuid4().hex[:12]
        entry.started = self._now()
        self._entries.pop(entry.id, None)
        self._entries[entry.id] = entry
        over = [job_id for job_id, one in self._entries.items() if one.state not in LIVE]
        for job_id in over[: max(0, len(over) - KEPT)]:
            del self._entries[job_id]
        if entry.state == "waiting":
            self._next(entry.lane)
        self._moved()

    def _join(self, there: JobEntry, entry: JobEntry) -> str:
        """Merge a new request into an unfinished job with the same subject; return a message."""
        if entry.kind == "look":
            there.once_more = there.state == "running"
            return ""
        if there.kind == "look":
            there.kind, there.own = entry.kind, False
            there.collection = entry.collection or there.collection
            there.on = entry.on
        elif there.state != "paused":
            return f"{there.name} is being indexed already." if there.folder else "It is under way already."
        if there.state == "paused":
            self._go_on(there)
        self._moved()
        return ""

    def _go_on(self, entry: JobEntry) -> None:
        assert entry.run is not None
        self._runs.drop(entry.run)
        entry.state = "waiting"
        self._next(entry.lane)
        self._moved()

    def _next(self, name: str) -> None:
        """Start the next job of a lane; requested jobs precede automatic ones."""
        waiting = [one for one in self.live if one.lane == name and one.state == "waiting" and not one.due]
        if self._closed or self.busy(name) or not waiting:
            return
        entry = min(waiting, key=lambda one: one.own)
        lane = self._lanes.setdefault(name, _Lane())
        lane.entry = entry
        entry.begin()
        lane.thread = threading.Thread(target=self._run, args=(entry,), name=f"job {entry.kind}")
        lane.thread.start()

    def _stop(self, entry: JobEntry, wish: Wish) -> None:
        """Ask a job to end after its current batch."""
        entry.wish = wish
        entry.stop.given_up = wish != "pause"
        if entry.work is None or entry.stop.given_up:  # a paused call is stopped by its run instead
            entry.stop.set()

    def _give_up(self, entry: JobEntry, wish: Wish) -> None:
        if entry.run is not None:
            self._runs.drop(entry.run)
        if entry.state == "running":
            self._stop(entry, wish)
            self._moved()
        else:
            entry.wish = wish
            self._over(entry, None, cancelled(entry))

    def _finish(self, entry: JobEntry, result: JobResult | None, error: ArkError | None) -> None:
        wish, run = entry.wish, entry.run
        if isinstance(error, Cancelled) and self._closed:
            self._over(entry, None, error)
        elif (error is not None and wish == "pause") or isinstance(error, Paused):
            self._rest(entry, getattr(error, "jobs", ()))
        elif isinstance(error, Cancelled) or (error is not None and wish):
            if run is not None:
                self._runs.drop(run)  # its thread may have stored it again
            self._over(entry, None, cancelled(entry))
        else:
            if wish == "pause" and run is not None:
                self._runs.drop(run)  # it finished before the pause
            self._over(entry, result, error)
        lane = self._lanes[entry.lane]
        lane.entry = None
        self._next(entry.lane)
        self._moved()

    def _rest(self, entry: JobEntry, rests: tuple[str, ...]) -> None:
        """Record that a job was paused; a call is then identified by its runs."""
        entry.rest()
        if entry.run is not None:
            self._runs.pause(entry.run)  # its thread may have stored it again
            return
        del self._entries[entry.id]
        self._rests[entry.id] = rests
        entry.over.set()

    def _over(self, entry: JobEntry, result: JobResult | None, error: ArkError | None) -> None:
        entry.result, entry.cause, entry.state = result, error, _state(error)
        if error is not None and entry.state == "failed":
            entry.error = Failure(error.what, error.hint)
        nothing = result is None or (isinstance(result, IndexReport) and not result.touched)
        if entry.own and nothing and entry.state != "failed":
            self._entries.pop(entry.id, None)
        entry.over.set()
        if self._closed:
            return
        for listener in self.listeners:
            listener.ended(entry, result, error)
        if entry.once_more and error is None:
            self.take(JobEntry("look", entry.folder, entry.collection))
        self._moved()

    def _moved(self) -> None:
        for listener in self.listeners:
            listener.moved()


def _about(run: Run | None) -> tuple[str, str]:
    """The key by which runs are equal: kind and subject."""
    return (run.kind, run.what) if run is not None else ("", "")


def _of(name: str, run: Run, idle: bool) -> Job:
    state: JobState = "running" if not idle else "paused" if run.paused else "cut off"
    return Job(name, run.kind, state, what=run.what)


def _state(error: ArkError | None) -> JobState:
    if error is None:
        return "done"
    return "cancelled" if isinstance(error, Cancelled) else "failed"
