"""Long-running jobs: their subject, state, progress and result."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal, Protocol, TypeAlias

from ark_tui.domain.analysis import Analysis
from ark_tui.domain.errors import ArkError, Cancelled
from ark_tui.domain.fields import Key
from ark_tui.domain.memory import ImportedChats
from ark_tui.domain.models import Models
from ark_tui.domain.protocols import OnProgress, Stop
from ark_tui.domain.review import Consolidated
from ark_tui.domain.work import IndexReport, Progress, Run, RunKind

JobState = Literal["running", "paused", "cut off", "done", "failed", "cancelled"]

LIVE = ("waiting", "running", "paused")
"""States of unfinished jobs."""

Wish = Literal["", "pause", "cancel", "remove"]

WATCH = "watch"

LANES = {
    "index": "files", "look": "files", "embed": "vectors", "model": "vectors", "models": "vectors",
    "models add": "vectors", "analyse": "shape", "analyze": "shape",
}  # fmt: skip
"""The lane of each kind of job; other kinds have their own. A process runs one job per lane at a time."""

RUNS: dict[str, RunKind] = {
    "index": "index", "look": "index", "embed": "embed", "model": "embed", "analyse": "analyse"
}  # fmt: skip
"""The kind stored in the home for each job kind. `look`: like `index`, but automatic."""

CONSOLIDATE = "consolidate"

UNASKED = ("look", "embed", WATCH)
"""Automatic jobs; most finish too soon to be worth showing."""

UNSEEN = 1.5
"""Seconds before an automatic job is shown."""

TURN = Progress("wait", 0, None, "for its turn")

COUNTED = ("read",)
"""Stages that count only the remaining work after a resume."""


@dataclass(frozen=True, slots=True)
class Embedded:
    """The result of an embedding run: the number of store changes applied to the vectors."""

    changes: int


JobResult: TypeAlias = IndexReport | Models | Analysis | Embedded | Consolidated | ImportedChats
"""The result of a job."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a job failed, and what to do next."""

    error: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Job:
    """A long-running job of this process or of another one with the same home.

    A job that waits for its turn or for a model server is `running`, with the progress stage `wait`.
    `paused` and `cut off` jobs continue where they stopped: `paused` ones on request, `cut off` ones as soon
    as a server or a workbench runs. `what`: the folder or model. `started` and `progress` are unknown for
    another process's jobs.
    """

    id: Annotated[str, Key("job_id")]
    kind: str
    state: JobState
    started: datetime | None = None
    what: str = ""
    progress: Progress | None = None
    result: JobResult | None = None
    error: Failure | None = None


Work: TypeAlias = Callable[[Stop, OnProgress], JobResult | None]
"""A function that does a job and returns its result."""


class Stopping(threading.Event):
    """A stop token; `given_up`: the job must not resume by itself."""

    given_up = False


@dataclass(eq=False, slots=True)
class JobEntry:
    """A job of this process, from request to end.

    Without `work` to call, the job is defined by kind, folder, collection, tags and model.
    """

    kind: str
    folder: Path | None = None
    collection: str = ""  # the name of the folder's collection, if any
    model: str = ""
    state: JobState | Literal["waiting"] = "waiting"
    tags: tuple[str, ...] = ()
    on: str = ""  # the cluster whose workers do it
    work: Work | None = None
    what: str = ""
    own: bool = False  # automatic, not requested by a user
    id: str = ""
    started: datetime | None = None
    due: float = 0.0  # earliest start, on the monotonic clock
    wish: Wish = ""  # why it is being stopped
    once_more: bool = False  # run again: the folder changed while it was read
    progress: Progress | None = None
    result: JobResult | None = None
    error: Failure | None = None
    cause: ArkError | None = None  # why it ended, also if not a failure
    stop: Stopping = field(default_factory=Stopping)
    over: threading.Event = field(default_factory=threading.Event)
    begun: float = field(default_factory=time.monotonic)
    _stage_begun: float = 0.0
    _before: dict[str, int] = field(default_factory=dict)  # by stage: done before it was paused
    _wholes: dict[str, int] = field(
        default_factory=dict
    )  # by stage: the total before the pause, until the resumed stage reports its own

    def __post_init__(self) -> None:
        self.own = self.own or self.kind in UNASKED
        self.what = self.what or (str(self.folder) if self.folder else self.model)

    @property
    def lane(self) -> str:
        return LANES.get(self.kind, self.kind)

    @property
    def subject(self) -> str:
        """The subject of the job; no two jobs may have the same."""
        if self.work is not None:
            return self.id
        return str(self.folder) if self.folder else self.kind

    @property
    def name(self) -> str:
        """The display name of its folder or model."""
        return self.collection or (self.folder.name or str(self.folder) if self.folder else self.model)

    @property
    def title(self) -> str:
        """The title to display."""
        titles = {
            "index": f"Indexing {self.name}",
            "look": f"Looking at {self.name}",
            "embed": "Embedding what waits",
            "model": f"Vectors of {self.name}",
            "analyse": "Analysing the corpus",
        }
        own = self.kind.capitalize()
        return own if self.work else titles.get(self.kind, own)

    @property
    def seconds(self) -> float:
        """Seconds since the current stage began."""
        return time.monotonic() - self._stage_begun

    @property
    def before(self) -> int:
        """How much of the current stage was done before a pause."""
        return self._before.get(self.progress.stage, 0) if self.progress else 0

    @property
    def visible(self) -> bool:
        """Whether lists show the job."""
        if not self.own or (self.state == "paused" and self.kind != WATCH):
            return True
        seen = self.state == "running" and time.monotonic() - self.begun >= UNSEEN
        return seen and self.kind != WATCH

    @property
    def run(self) -> Run | None:
        """The record to store in the home; None for a job with `work`, which stores its own."""
        if self.work is not None:
            return None
        about = str(self.folder) if self.folder else ""
        return Run(RUNS[self.kind], about, self.collection, self.tags, on=self.on)

    @property
    def job(self) -> Job:
        """A snapshot of its current state."""
        kind = RUNS.get(self.kind, self.kind) if self.work is None else self.kind
        state, progress = self.state, self.progress
        if state == "waiting":
            state, progress = "running", progress or TURN
        return Job(self.id, kind, state, self.started, self.what, progress, self.result, self.error)

    def since(self, age: float, seconds: float, before: int) -> None:
        """Take over the times reported by another process.

        `age`: seconds since the start. `seconds`: since the start of the stage. `before`: done until a pause.
        """
        self.begun, self._stage_begun = time.monotonic() - age, time.monotonic() - seconds
        self._before = {self.progress.stage: before} if self.progress else {}

    def begin(self) -> None:
        """Mark the job as running."""
        self.state, self.wish, self.progress, self.stop = "running", "", None, Stopping()
        self.begun = self._stage_begun = time.monotonic()

    def move(self, at: Progress) -> None:
        """Update the progress; after a resume, add what was done before."""
        if self.progress is None or self.progress.stage != at.stage:
            self._stage_begun = time.monotonic()
        if at.total is not None and (whole := self._wholes.pop(at.stage, None)) is not None:
            self._before[at.stage] = max(0, whole - at.total)
        before = self._before.get(at.stage, 0)
        total = None if at.total is None else at.total + before
        self.progress = replace(at, done=at.done + before, total=total)

    def rest(self) -> None:
        """Mark the job as paused."""
        self.state, self.wish = "paused", ""
        if self.progress is not None and self.progress.stage in COUNTED:
            self._wholes[self.progress.stage] = self.progress.total or 0


class Listener(Protocol):
    """Callbacks for the jobs of this process. They are called from any thread and must not block."""

    def moved(self) -> None:
        """The state of some job changed."""

    def ended(self, entry: JobEntry, result: JobResult | None, error: ArkError | None) -> None:
        """A job ended, with its result or error."""

    def noticed(self, notice: str) -> None:
        """A non-fatal problem occurred."""


def entry_of(run: Run) -> JobEntry:
    """A job that resumes a stored run."""
    kind = "embed" if run.kind == "model" else run.kind
    folder = Path(run.what) if run.what and kind == "index" else None
    state: Literal["paused", "waiting"] = "paused" if run.paused else "waiting"
    return JobEntry(kind, folder, run.collection, state=state, tags=run.tags, on=run.on)


def cancelled(entry: JobEntry) -> Cancelled:
    """The error to report for a cancelled job."""
    if entry.wish == "remove":
        return Cancelled(f"{entry.title} stopped.", "The folder is no longer followed.")
    if entry.progress is None and entry.state == "waiting":
        return Cancelled(f"{entry.title} was removed from the list.", "It had not started.")
    again = "index the folder again to continue." if entry.folder else "nothing is lost."
    return Cancelled(f"{entry.title} stopped.", f"Finished work is kept; {again}")
