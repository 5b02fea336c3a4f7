"""Long work of one home: begun by one request, watched and stopped by others, in this process or another.

What this process has begun runs in threads of its own. What others are at, and what was cut off, is known
from `runs`, by files that all processes of the home share.
"""

from __future__ import annotations

import logging
import threading
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from ark_tui.domain.errors import (
    BUG,
    BUG_HINT,
    ArkError,
    Busy,
    Cancelled,
    Hint,
    NotFound,
    Paused,
    UsageError,
)
from ark_tui.domain.jobs import Failure, Job, JobResult, JobState
from ark_tui.domain.protocols import OnProgress, Stop
from ark_tui.domain.work import Progress, Run
from ark_tui.engine.runs import Runs

Work: TypeAlias = "Callable[[Stop, OnProgress], JobResult | None]"
"""Does it, and says what came of it."""

KEPT = 100  # jobs that are over and can still be asked for
AT_ONCE = 2  # that somebody has asked for

log = logging.getLogger("ark_tui.jobs")


class Stopping(threading.Event):
    """A stop token; `given_up`: what was begun is not to go on by itself."""

    given_up = False


@dataclass(slots=True)
class Begun:
    """A job of this process. `own`: on the home's own account, without anybody asking for it."""

    id: str
    kind: str
    started: datetime
    what: str = ""
    own: bool = False
    state: JobState = "running"
    progress: Progress | None = None
    result: JobResult | None = None
    error: Failure | None = None
    stop: Stopping = field(default_factory=Stopping)
    thread: threading.Thread | None = None

    @property
    def job(self) -> Job:
        """As it is now."""
        return Job(
            self.id, self.kind, self.state, self.started, self.what, self.progress, self.result, self.error
        )


class Jobs:
    """`engine.jobs`. Thread-safe."""

    def __init__(self, runs: Runs, now: Callable[[], datetime]) -> None:
        self._runs = runs
        self._now = now
        self._begun: dict[str, Begun] = {}
        self._hold = threading.Lock()

    def start(self, kind: str, work: Work, what: str = "", *, own: bool = False) -> Begun:
        """Begin, in a thread. Raises `Busy` while too much is under way that was asked for.

        What the home begins on its `own` account is always begun, and forgotten when it had nothing to do
        (its work returns None).
        """
        with self._hold:
            asked = [one for one in self._begun.values() if one.state == "running" and not one.own]
            if not own and len(asked) >= AT_ONCE:
                raise Busy(
                    f"{AT_ONCE} jobs are running already.",
                    Hint.run("jobs list", say="Wait for one, or cancel one: {}."),
                )
            begun = Begun(uuid.uuid4().hex[:12], kind, self._now(), what, own)
            self._begun[begun.id] = begun
            self._forget()
        begun.thread = threading.Thread(target=self._run, args=(begun, work), name=f"job {kind}")
        begun.thread.start()
        return begun

    def get(self, job_id: str) -> Begun:
        """A job of this process. Raises `NotFound`."""
        with self._hold:
            begun = self._begun.get(job_id)
        if begun is None:
            raise NotFound(f"There is no job {job_id}.", Hint.run("jobs list", say="Which there are: {}."))
        return begun

    def all(self) -> tuple[Job, ...]:
        """Those of this process, the newest first; then what others are at, what rests, what was cut off."""
        with self._hold:
            here = [*self._begun.values()][::-1]
        threads = [one.thread.ident for one in here if one.thread and one.thread.ident]
        mine = {run for thread in threads for run in self._runs.own(thread)}
        others = [_of(name, run, idle) for name, run, idle in self._runs.kept() if run not in mine]
        return (*(one.job for one in here), *others)

    def show(self, job_id: str) -> Job:
        """A job, whosever it is. Raises `NotFound`."""
        found = next((job for job in self.all() if job.id == job_id), None)
        return found or self.get(job_id).job

    def cancel(self, job_id: str) -> Job:
        """Give a job up, which stops between two steps; what it has done is kept."""
        if (run := self._other(job_id)) is not None:
            job = self.show(job_id)
            self._runs.drop(run)
            return job
        begun = self.get(job_id)
        begun.stop.given_up = True
        begun.stop.set()
        return begun.job

    def pause(self, job_id: str) -> Job:
        """Let a job stop between two steps, and rest until it is resumed, even beyond this process's end.

        Raises `UsageError` for one that would begin anew.
        """
        if (run := self._other(job_id)) is None:
            begun = self.get(job_id)
            ident = begun.thread.ident if begun.thread else None
            run = next(iter(self._runs.own(ident)), None) if ident else None
            if run is None:
                raise UsageError(f"The job {job_id} cannot rest.", "Cancel it, or wait for its end.")
        self._runs.pause(run)
        return self.show(job_id)

    def resume(self, job_id: str) -> Job:
        """Let a job that rests go on, by whichever server or workbench is open. Raises `UsageError`."""
        run = self._other(job_id)
        if run is None or not run.paused:
            raise UsageError(f"The job {job_id} does not rest.", "Only a paused job can be resumed.")
        self._runs.go_on(run)
        return self.show(job_id)

    def close(self) -> None:
        """Stop all of this process between two steps, and wait; what was cut off can go on later."""
        with self._hold:
            here = [*self._begun.values()]
        for begun in here:
            begun.stop.set()
        for begun in here:
            if begun.thread is not None:
                begun.thread.join()

    # -- inside ------------------------------------------------------------------------------------

    def _other(self, job_id: str) -> Run | None:
        """The run with that id, which is none of a job here."""
        return next((run for name, run, _ in self._runs.kept() if name == job_id), None)

    def _run(self, begun: Begun, work: Work) -> None:
        def watch(at: Progress) -> None:
            begun.progress = at

        try:
            begun.result = work(begun.stop, watch)
            begun.state = "done"
        except Paused:
            begun.state = "paused"  # and known by its run from now on
        except Cancelled:
            begun.state = "cancelled"
        except ArkError as error:
            begun.error, begun.state = Failure(error.what, error.hint), "failed"
        except Exception:
            log.exception("job %s", begun.kind)
            begun.error, begun.state = Failure(BUG, BUG_HINT), "failed"
        nothing = begun.own and begun.result is None and begun.error is None
        if nothing or begun.state == "paused":
            with self._hold:
                self._begun.pop(begun.id, None)

    def _forget(self) -> None:
        over = [job_id for job_id, begun in self._begun.items() if begun.state != "running"]
        for job_id in over[: max(0, len(over) - KEPT)]:
            del self._begun[job_id]


def _of(name: str, run: Run, idle: bool) -> Job:
    state: JobState = "running" if not idle else "paused" if run.paused else "cut off"
    return Job(name, run.kind, state, what=run.what)
