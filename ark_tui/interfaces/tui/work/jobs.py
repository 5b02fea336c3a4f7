"""The long work of a workbench: what is under way, what waits for its turn, what rests.

A job that is paused is stopped at a safe point and remembered: nothing is held, and nothing is lost, for all
long work goes on where it stopped. So a pause outlasts the workbench, too.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from ark_tui.domain.errors import ArkError, Cancelled, Hint, ModelUnavailable, Paused, Step
from ark_tui.domain.work import IndexReport, Problem, Progress, Run
from ark_tui.engine.runs import Runs
from ark_tui.interfaces.tui.work.process import Process
from ark_tui.settings import Home

Kind = Literal["index", "look", "embed", "model", "analyse"]
"""`look`: as `index`, on the workbench's own account."""

State = Literal["waiting", "running", "paused"]
Wish = Literal["", "pause", "cancel", "let go"]

LANES: dict[Kind, str] = {
    "index": "files", "look": "files", "embed": "vectors", "model": "vectors", "analyse": "shape"
}  # fmt: skip
"""One job of a lane at a time, in one process; the lanes side by side."""

UNASKED: tuple[Kind, ...] = ("look", "embed")
"""What the workbench does by itself: mostly it is done before anybody could read a row."""

UNSEEN = 1.5
"""Seconds that this may take before its row is shown."""

GRACE = 10.0
"""Seconds that a process which was asked to stop has for the batch at hand."""

COUNTED = ("read",)
"""Stages that count anew what is left when they go on."""


@dataclass(eq=False, slots=True)
class Job:
    """A piece of long work, and how far it is."""

    kind: Kind
    folder: Path | None = None
    collection: str = ""  # what the folder is called, where it has a name
    model: str = ""
    state: State = "waiting"
    wish: Wish = ""  # what it is being stopped for
    once_more: bool = False  # the folder has changed while it was being read
    progress: Progress | None = None
    begun: float = field(default_factory=time.monotonic)
    _stage_begun: float = 0.0
    _before: dict[str, int] = field(default_factory=dict)  # by stage: done before it was paused
    _wholes: dict[str, int] = field(default_factory=dict)  # by stage: how much it was then, as yet to be told

    @property
    def lane(self) -> str:
        return LANES[self.kind]

    @property
    def subject(self) -> str:
        """What it is about: what two jobs must not have in common."""
        return str(self.folder) if self.folder else self.kind

    @property
    def name(self) -> str:
        """The folder as people call it."""
        return self.collection or (self.folder.name or str(self.folder) if self.folder else self.model)

    @property
    def title(self) -> str:
        """What is being done."""
        titles: dict[Kind, str] = {
            "index": f"Indexing {self.name}",
            "look": f"Looking at {self.name}",
            "embed": "Embedding what waits",
            "model": f"Vectors of {self.name}",
            "analyse": "Analysing the corpus",
        }
        return titles[self.kind]

    @property
    def seconds(self) -> float:
        """Since the present stage began."""
        return time.monotonic() - self._stage_begun

    @property
    def before(self) -> int:
        """What of the present stage was done before it was paused."""
        return self._before.get(self.progress.stage, 0) if self.progress else 0

    @property
    def visible(self) -> bool:
        """Whether it is worth a row."""
        if self.kind not in UNASKED or self.state == "paused":
            return True
        return self.state == "running" and time.monotonic() - self.begun >= UNSEEN

    @property
    def run(self) -> Run:
        """As the home remembers it."""
        kinds: dict[Kind, Literal["index", "embed", "analyse"]] = {
            "index": "index", "look": "index", "embed": "embed", "model": "embed", "analyse": "analyse"
        }  # fmt: skip
        return Run(kinds[self.kind], str(self.folder) if self.folder else "", self.collection)

    def order(self) -> dict[str, str]:
        """What its process is told."""
        about = {"folder": str(self.folder), "collection": self._claimed} if self.folder else {}
        return {**about, **({"model": self.model} if self.model else {})}

    @property
    def _claimed(self) -> str:
        """A look never gives a folder another name."""
        return "" if self.kind == "look" else self.collection

    def begin(self) -> None:
        """Its process has been told."""
        self.state, self.wish, self.progress = "running", "", None
        self.begun = self._stage_begun = time.monotonic()

    def move(self, at: Progress) -> None:
        """It has got further."""
        if self.progress is None or self.progress.stage != at.stage:
            self._stage_begun = time.monotonic()
        if at.total is not None and (whole := self._wholes.pop(at.stage, None)) is not None:
            self._before[at.stage] = max(0, whole - at.total)
        before = self._before.get(at.stage, 0)
        total = None if at.total is None else at.total + before
        self.progress = replace(at, done=at.done + before, total=total)

    def rest(self) -> None:
        """It has stopped, to go on later."""
        self.state, self.wish = "paused", ""
        if self.progress is not None and self.progress.stage in COUNTED:
            self._wholes[self.progress.stage] = self.progress.total or 0


@dataclass(slots=True)
class _Lane:
    """A process, which of the workbench's it is, the job that it is at, and the number of its order."""

    process: Process | None = None
    serial: int = 0
    job: Job | None = None
    number: int = 0


class Jobs:
    """All of it, on the thread that paints.

    `hear`: how an event of a lane's process gets to `heard`, from any thread. `moved` is called when rows
    look otherwise, `ended` when a job is over, with its report or why there is none, `noticed` with what has
    failed on the way and stopped nothing.
    """

    def __init__(
        self,
        home: Home,
        hear: Callable[[str, int, dict[str, Any]], object],
        moved: Callable[[], object],
        ended: Callable[[Job, IndexReport | None, ArkError | None], object],
        noticed: Callable[[str], object],
    ) -> None:
        self.all: list[Job] = []
        self._home = home
        self._runs = Runs(home)
        self._hear = hear
        self._moved = moved
        self._ended = ended
        self._noticed = noticed
        self._lanes: dict[str, _Lane] = {lane: _Lane() for lane in dict.fromkeys(LANES.values())}
        self._closed = False

    @property
    def visible(self) -> list[Job]:
        """Those that have a row."""
        return [job for job in self.all if job.visible]

    def find(self, subject: str) -> Job | None:
        """The job about something."""
        return next((job for job in self.all if job.subject == subject), None)

    def busy(self, lane: str) -> bool:
        """Whether a lane has a job under way."""
        return self._lanes[lane].job is not None

    # -- what a person, or the workbench itself, wants -----------------------------------------------

    def take(self, job: Job) -> str:
        """Do a job now or in its turn; returns what there is to say about it, if anything."""
        there = self.find(job.subject)
        if there is not None:
            return self._join(there, job)
        self.all.append(job)
        if job.state == "waiting":
            self._next(job.lane)
        self._moved()
        return f"{job.name} comes next." if job.state == "waiting" and job.kind == "index" else ""

    def pause(self, job: Job) -> None:
        """Let a job rest until it is wanted again."""
        self._runs.pause(job.run)
        if job.state == "running":
            self._stop(job, "pause")
        else:
            job.rest()
        self._moved()

    def go_on(self, job: Job) -> None:
        """Take up a job that rests."""
        self._runs.drop(job.run)
        job.state = "waiting"
        self._next(job.lane)
        self._moved()

    def cancel(self, job: Job) -> None:
        """Give a job up; what is done stays done."""
        self._runs.drop(job.run)
        if job.state == "running":
            self._stop(job, "cancel")
            self._moved()
        else:
            self._over(job, None, self._cancelled(job))

    def let_go(self, folder: Path) -> None:
        """A folder is followed no more: nothing of it is to be read."""
        job = self.find(str(folder))
        if job is None:
            return
        self._runs.drop(job.run)
        if job.state == "running":
            self._stop(job, "let go")
            self._moved()
        else:
            job.wish = "let go"
            self._over(job, None, self._cancelled(job))

    def renamed(self, folder: Path, name: str) -> None:
        """A folder has another name: work that waits or rests must not give it the old one."""
        job = self.find(str(folder))
        if job is not None and job.collection and job.state != "running":
            job.collection = name
            if job.state == "paused":
                self._runs.pause(job.run)
            self._moved()

    def unfinished(self) -> list[Job]:
        """What was begun in this home by somebody who is gone, and is not among these."""
        if self._closed:
            return []
        jobs = [_of(run) for run in self._runs.unfinished()]
        return [job for job in jobs if self.find(job.subject) is None]

    def agree(self) -> None:
        """Another process may have given up what rests here, gone on with it, or want it to go on."""
        kept = {(run.kind, run.what): (run, idle) for _, run, idle in self._runs.kept()}
        for job in [one for one in self.all if one.state == "paused"]:
            run, idle = kept.get((job.run.kind, job.run.what), (None, True))
            if run is None or not idle:
                self.all.remove(job)
                self._moved()
            elif not run.paused:
                self.go_on(job)

    def close(self) -> None:
        """Let all processes end. What is under way stays remembered, and goes on in the next workbench."""
        self._closed = True
        for job in self.all:
            if job.kind == "look" and job.state == "running":
                self._runs.drop(job.run)  # the next one looks at everything anyway
        for lane in self._lanes.values():
            if lane.process is not None:
                lane.process.close()

    def rest_of(self, lane: str) -> None:
        """Let the process of a lane go if it has nothing to do."""
        at = self._lanes[lane]
        if at.process is not None and at.job is None:
            at.process.close()
            at.process = None

    def wait(self) -> None:
        """Until all processes have ended; after `close`."""
        for lane in self._lanes.values():
            if lane.process is not None:
                lane.process.wait()

    # -- what the processes say ----------------------------------------------------------------------

    def heard(self, lane: str, serial: int, event: dict[str, Any]) -> None:
        """An event of a lane's process."""
        at = self._lanes[lane]
        if self._closed or at.process is None or at.serial != serial:
            return
        if event["event"] == "gone":
            at.process = None
            if at.job is not None:
                self._finish(at, None, self._died(at.job, event))
        elif at.job is None or event.get("number") != at.number:
            return
        elif event["event"] == "progress":
            at.job.move(Progress(event["stage"], int(event["done"]), event["total"], event["note"]))
            self._moved()
        elif event["event"] == "notice":
            self._noticed(str(event["text"]))
        elif event["event"] == "done":
            self._finish(at, _report(event["report"]) if "report" in event else None, None)
        else:
            self._finish(at, None, _error(event))

    # -- inside --------------------------------------------------------------------------------------

    def _join(self, there: Job, job: Job) -> str:
        """The same is wanted again: by a person, or because the folder has changed meanwhile."""
        if job.kind == "look":
            there.once_more = there.state == "running"
            return ""
        if there.kind == "look":
            there.kind, there.collection = job.kind, job.collection or there.collection
        elif there.state != "paused":
            return f"{there.name} is being indexed already." if there.folder else "It is under way already."
        if there.state == "paused":
            self.go_on(there)
        self._moved()
        return ""

    def _next(self, name: str) -> None:
        lane = self._lanes[name]
        if lane.job is not None or self._closed:
            return
        waiting = [job for job in self.all if job.lane == name and job.state == "waiting"]
        if not waiting:
            return
        job = min(waiting, key=lambda job: job.kind == "look")  # a person's first
        if lane.process is None:
            serial = lane.serial = lane.serial + 1
            lane.process = Process(self._home.path, lambda event: self._hear(name, serial, event))
        lane.job, lane.number = job, lane.number + 1
        job.begin()
        lane.process.order(lane.number, job.kind, **job.order())

    def _stop(self, job: Job, wish: Wish) -> None:
        """Ask a job to end after the batch at hand."""
        lane = self._lanes[job.lane]
        job.wish = wish
        if lane.process is not None:
            lane.process.order(lane.number, "stop")

    def hasten(self, job: Job) -> None:
        """End the process of a job that was asked to stop long ago."""
        lane = self._lanes[job.lane]
        if lane.job is job and job.wish and lane.process is not None:
            lane.process.kill()

    def _finish(self, lane: _Lane, report: IndexReport | None, error: ArkError | None) -> None:
        """A job's process is done with it, one way or another."""
        job, lane.job = lane.job, None
        assert job is not None
        wish = job.wish
        if (error is not None and wish == "pause") or isinstance(error, Paused):
            job.rest()
            self._runs.pause(job.run)  # which it may have written once more
        elif isinstance(error, Cancelled) or (error is not None and wish in ("cancel", "let go")):
            self._runs.drop(job.run)  # likewise
            self._over(job, None, self._cancelled(job))
        else:
            if wish == "pause":
                self._runs.drop(job.run)  # it was quicker
            self._over(job, report, error)
        self._next(job.lane)
        self._moved()

    def _over(self, job: Job, report: IndexReport | None, error: ArkError | None) -> None:
        self.all.remove(job)
        self._ended(job, report, error)
        if job.once_more and error is None:
            self.take(Job("look", job.folder, job.collection))
        self._moved()

    def _cancelled(self, job: Job) -> Cancelled:
        if job.wish == "let go":
            return Cancelled(f"{job.title} stopped.", "The folder is followed no more.")
        if job.progress is None and job.state == "waiting":
            return Cancelled(f"{job.title}: taken off the list.", "Nothing of it was done.")
        again = "index the folder again to go on." if job.folder else "nothing of it is lost."
        return Cancelled(f"{job.title} stopped.", f"What was done is kept; {again}")

    def _died(self, job: Job, event: dict[str, Any]) -> ArkError:
        code = int(event["code"])
        ended = f"was ended by signal {-code}" if code < 0 else f"ended with code {code}"
        said = f": {event['said']}" if event["said"] else ""
        hint = Hint.run("doctor", say="What was done is kept; `{}` says whether all is well.")
        return ArkError(f"{job.title} {ended}{said}.", hint)


def _of(run: Run) -> Job:
    """A job that goes on with what was begun."""
    kind: Kind = "embed" if run.kind == "model" else run.kind
    folder = Path(run.what) if run.what else None
    return Job(kind, folder, run.collection, state="paused" if run.paused else "waiting")


def _error(event: dict[str, Any]) -> ArkError:
    kinds: dict[str, type[ArkError]] = {
        "cancelled": Cancelled, "paused": Paused, "unavailable": ModelUnavailable
    }  # fmt: skip
    return kinds.get(event["reason"], ArkError)(str(event["error"]), _hint(event["hint"]))


def _hint(parts: Sequence[Any]) -> Hint:
    """A hint as the process of long work has told it."""
    return Hint.of(
        *(
            Step(
                part["name"],
                tuple(part["arguments"]),
                tuple((name, value) for name, value in part["options"]),
            )
            if isinstance(part, dict)
            else str(part)
            for part in parts
        )
    )


def _report(wired: dict[str, Any]) -> IndexReport:
    plain = {name: value for name, value in wired.items() if isinstance(value, int | float)}
    return IndexReport(
        collections=tuple(wired["collections"]),
        problems=tuple(Problem(p["path"], p["reason"], p["state"]) for p in wired["problems"]),
        notices=tuple(wired["notices"]),
        **plain,  # type: ignore[arg-type]
    )


def summary(report: IndexReport) -> str:
    """`3 added, 1 changed, 2 skipped`, or that nothing was new."""
    names: Sequence[str] = ("added", "changed", "renamed", "removed", "skipped", "failed")
    said = [f"{count} {name}" for name in names if (count := getattr(report, name))]
    return ", ".join(said) if said else "nothing was new"
