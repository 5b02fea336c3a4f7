"""Long work of one home: begun by a person or by the home, watched and steered from any thread.

One job of a lane at a time, the lanes side by side. A job that is paused is stopped at a safe point and
remembered: nothing is held, and nothing is lost, for all long work goes on where it stopped. So a pause, and
a kill, outlast the process (`runs`).
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

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
from ark_tui.domain.protocols import NEVER, Stop, ignore
from ark_tui.domain.work import IndexReport, Progress, Run
from ark_tui.engine import threads
from ark_tui.engine.threads import CarryOut

if TYPE_CHECKING:
    from ark_tui.engine.runs import Runs

KEPT = 100  # jobs that are over and can still be asked for
AT_ONCE = 2  # calls that somebody has asked for

LOOK = 0.05  # seconds between two looks at whether who waits for a call still does


@dataclass(slots=True)
class _Lane:
    """The job under way, if any, and the thread that does it or did the last one."""

    entry: JobEntry | None = None
    thread: threading.Thread | None = None


class Jobs:
    """`engine.jobs`. Thread-safe."""

    def __init__(self, runs: Runs, now: Callable[[], datetime], carry_out: CarryOut) -> None:
        """`carry_out`: does what an order says."""
        self.listeners: list[Listener] = []
        self.carry_out = carry_out
        self._runs = runs
        self._now = now
        self._entries: dict[str, JobEntry] = {}
        self._lanes: dict[str, _Lane] = {}
        self._rests: dict[str, tuple[str, ...]] = {}  # calls that rest, with the ids of what they rest as
        self.hold = threading.RLock()
        self._closed = False

    @contextmanager
    def heard_by(self, listener: Listener) -> Iterator[None]:
        """Within this block somebody is told of jobs who will not stay."""
        with self.hold:
            self.listeners = [*self.listeners, listener]  # another list: threads go through the one before
        try:
            yield
        finally:
            with self.hold:
                self.listeners = [one for one in self.listeners if one is not listener]

    # -- what there is -------------------------------------------------------------------------------

    @property
    def live(self) -> list[JobEntry]:
        """Those of this process that are not over, the oldest first."""
        with self.hold:
            return [entry for entry in self._entries.values() if entry.state in LIVE]

    def find(self, subject: str) -> JobEntry | None:
        """The job about something."""
        return next((entry for entry in self.live if entry.subject == subject), None)

    def latest(self, kind: str) -> JobEntry | None:
        """The newest job of a kind in this process, whatever became of it."""
        with self.hold:
            return next((one for one in reversed([*self._entries.values()]) if one.kind == kind), None)

    def busy(self, lane: str) -> bool:
        """Whether a lane has a job under way."""
        at = self._lanes.get(lane)
        return at is not None and at.entry is not None

    def get(self, job_id: str) -> JobEntry:
        """A job of this process. Raises `NotFound`."""
        with self.hold:
            entry = self._entries.get(job_id)
        if entry is None:
            raise NotFound(f"There is no job {job_id}.", Hint.run("jobs list", say="Which there are: {}."))
        return entry

    def all(self) -> tuple[Job, ...]:
        """Those of this process, the newest first; then what others are at, what rests, what was cut off."""
        with self.hold:
            here = [*self._entries.values()][::-1]
        mine = {_about(run) for entry in here if entry.state in LIVE for run in self._runs_of(entry)}
        others = [_of(name, run, idle) for name, run, idle in self._runs.kept() if _about(run) not in mine]
        return (*(entry.job for entry in here), *others)

    def show(self, job_id: str) -> Job:
        """A job, whosever it is. Raises `NotFound`."""
        names = self._rests.get(job_id, (job_id,))
        found = next((job for job in self.all() if job.id in names), None)
        return found or self.get(job_id).job

    def unfinished(self) -> list[JobEntry]:
        """What was begun in this home by somebody who is gone, and is not among these."""
        here = {_about(entry.run) for entry in self.live}
        runs = () if self._closed else self._runs.unfinished()
        return [entry_of(run) for run in runs if _about(run) not in here]

    # -- what somebody wants to be done --------------------------------------------------------------

    def take(self, entry: JobEntry) -> str:
        """Do a job now or in its turn; returns what there is to say about it, if anything."""
        with self.hold:
            there = self.find(entry.subject)
            if there is not None:
                return self._join(there, entry)
            self._add(entry)
            waits = entry.state == "waiting" and entry.kind == "index"
        return f"{entry.name} comes next." if waits else ""

    def start(self, kind: str, work: Work, what: str = "", *, own: bool = False) -> JobEntry:
        """Call something in a thread, now or in its turn. Raises `Busy` while too much was asked for.

        What the home begins on its `own` account is always begun, and forgotten when it had nothing to do
        (its work returns None).
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
        """Call something as a job, whose id `begun` is told, and wait for its end.

        Once `stop` is set it is given up, also while it waits for its turn. Raises what it raises; `Paused`
        where it rests.
        """
        entry = self.start(kind, work)
        begun(entry.id)
        while not entry.over.wait(None if stop is NEVER else LOOK):
            if stop.is_set() and not entry.wish:
                self.cancel(entry.id)
        if entry.state == "paused":
            hint = Hint.run("jobs resume", *self._rests[entry.id][:1], say="It goes on with {}.")
            raise Paused(f"{entry.title} was paused.", hint)
        if entry.cause is not None:
            raise entry.cause
        return entry.result

    def pause(self, job_id: str) -> Job:
        """Let a job stop between two steps, and rest until it is resumed, even beyond this process's end.

        Raises `UsageError` for one that would begin anew.
        """
        with self.hold:
            entry = self._live(job_id)
            if entry is not None and entry.wish:
                return entry.job  # it stops already
            runs = self._runs_of(entry) if entry else self._others(job_id)
            if not runs:
                self.get(job_id)
                raise UsageError(f"The job {job_id} cannot rest.", "Cancel it, or wait for its end.")
            self._runs.pause(*runs)
            if entry is not None and entry.state == "running":
                self._stop(entry, "pause")
            elif entry is not None and entry.state == "waiting":
                entry.rest()
            self._moved()
            return self.show(job_id)

    def resume(self, job_id: str) -> Job:
        """Let a job that rests go on, by whichever server or workbench is open. Raises `UsageError`."""
        with self.hold:
            entry, others = self._live(job_id), self._others(job_id)
            if entry is not None and entry.state == "paused":
                self._go_on(entry)
            elif any(run.paused for run in others):
                for run in others:
                    self._runs.go_on(run)
            else:
                raise UsageError(f"The job {job_id} does not rest.", "Only a paused job can be resumed.")
            return self.show(job_id)

    def cancel(self, job_id: str) -> Job:
        """Give a job up, which stops between two steps; what it has done is kept."""
        with self.hold:
            entry, job = self._live(job_id), self.show(job_id)
            if entry is not None:
                self._give_up(entry, "cancel")
                return entry.job
            for run in self._others(job_id):
                self._runs.drop(run)
            return job

    def let_go(self, folder: Path) -> None:
        """A folder is followed no more: nothing of it is to be read."""
        with self.hold:
            if (entry := self.find(str(folder))) is not None:
                self._give_up(entry, "let go")

    def renamed(self, folder: Path, name: str) -> None:
        """A folder has another name: work that waits or rests must not give it the old one."""
        with self.hold:
            entry = self.find(str(folder))
            if entry is not None and entry.run and entry.collection and entry.state != "running":
                entry.collection = name
                if entry.state == "paused":
                    self._runs.pause(entry.run)
                self._moved()

    def postpone(self, entry: JobEntry, due: float, at: Progress | None = None) -> None:
        """Begin a job that waits no sooner than then, by the monotonic clock; `at` says why, 0 is now."""
        with self.hold:
            entry.due, entry.progress = due, at
            self._next(entry.lane)

    def leave(self, entry: JobEntry) -> None:
        """There is nothing to do for a job that was postponed."""
        with self.hold:
            self._over(entry, None, None)

    # -- what those who do it tell -------------------------------------------------------------------

    def heard(self, entry: JobEntry, at: Progress) -> None:
        """A job has got further."""
        with self.hold:
            entry.move(at)
            self._moved()

    def finished(self, entry: JobEntry, result: JobResult | None, error: ArkError | None) -> None:
        """A job has come to its end, one way or another."""
        with self.hold:
            if self._lanes[entry.lane].entry is entry:
                self._finish(entry, result, error)

    def notice(self, notice: str) -> None:
        """Tell of something that has failed and stopped nothing."""
        for listener in self.listeners:
            listener.noticed(notice)

    def close(self) -> None:
        """Stop all of this process between two steps; what is cut off stays remembered, and goes on later.

        Their threads are waited for, as they use this engine.
        """
        with self.hold:
            self._closed = True
            for entry in self.live:
                if entry.kind == "look" and entry.state == "running" and entry.run:
                    self._runs.drop(entry.run)  # the next one looks at everything anyway
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
        """The run with that id, where it is none of a job here."""
        names = self._rests.get(job_id, (job_id,))
        return [run for name, run, _ in self._runs.kept() if name in names]

    def _runs_of(self, entry: JobEntry) -> list[Run]:
        """What the home remembers of a job."""
        if entry.run is not None:
            return [entry.run]
        lane = self._lanes.get(entry.lane)
        if lane is None or lane.entry is not entry or lane.thread is None or lane.thread.ident is None:
            return []
        return [*self._runs.own(lane.thread.ident)]

    def _add(self, entry: JobEntry) -> None:
        run = entry.run if entry.kind != "model" else None  # whose run is that of embedding
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
        """The same is wanted again: by a person, or because the folder has changed meanwhile."""
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
        """Begin the next job of a lane, a person's first."""
        waiting = [one for one in self.live if one.lane == name and one.state == "waiting" and not one.due]
        if self._closed or self.busy(name) or not waiting:
            return
        entry = min(waiting, key=lambda one: one.own)
        lane = self._lanes.setdefault(name, _Lane())
        lane.entry = entry
        entry.begin()
        lane.thread = threads.begin(self, entry)

    def _stop(self, entry: JobEntry, wish: Wish) -> None:
        """Ask a job to end after the batch at hand."""
        entry.wish = wish
        entry.stop.given_up = wish != "pause"
        if entry.work is None or entry.stop.given_up:  # what is called sees by its run that it is to rest
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
                self._runs.drop(run)  # which it may have written once more
            self._over(entry, None, cancelled(entry))
        else:
            if wish == "pause" and run is not None:
                self._runs.drop(run)  # it was quicker
            self._over(entry, result, error)
        lane = self._lanes[entry.lane]
        lane.entry = None
        self._next(entry.lane)
        self._moved()

    def _rest(self, entry: JobEntry, rests: tuple[str, ...]) -> None:
        """A job has stopped, to go on later; what was called is known by its run from now on."""
        entry.rest()
        if entry.run is not None:
            self._runs.pause(entry.run)  # which it may have written once more
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
    """What two runs have in common that are the same."""
    return (run.kind, run.what) if run is not None else ("", "")


def _of(name: str, run: Run, idle: bool) -> Job:
    state: JobState = "running" if not idle else "paused" if run.paused else "cut off"
    return Job(name, run.kind, state, what=run.what)


def _state(error: ArkError | None) -> JobState:
    if error is None:
        return "done"
    return "cancelled" if isinstance(error, Cancelled) else "failed"
