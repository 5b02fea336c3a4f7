"""Long work that was begun: what it is about, how far it is, and what came of it."""

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
from ark_tui.domain.memory import ImportedChats, MessageVectors
from ark_tui.domain.models import Models
from ark_tui.domain.protocols import OnProgress, Stop
from ark_tui.domain.review import Consolidated
from ark_tui.domain.work import IndexReport, Progress, Run, RunKind

JobState = Literal["running", "paused", "cut off", "done", "failed", "cancelled"]

LIVE = ("waiting", "running", "paused")
"""States of work that has not come to its end."""

Wish = Literal["", "pause", "cancel", "let go"]

WATCH = "watch"

LANES = {
    "index": "files", "look": "files", "embed": "vectors", "model": "vectors", "models": "vectors",
    "models add": "vectors", "analyse": "shape", "analyze": "shape",
}  # fmt: skip
"""One job of a lane at a time in one process, lanes side by side; any other kind has a lane of its own."""

RUNS: dict[str, RunKind] = {
    "index": "index", "look": "index", "embed": "embed", "model": "embed", "analyse": "analyse"
}  # fmt: skip
"""What is remembered of a kind in the home. `look`: as `index`, on the home's own account."""

CONSOLIDATE = "consolidate"

UNASKED = ("look", "embed", WATCH)
"""What a home does by itself: mostly it is done before anybody could read a row."""

UNSEEN = 1.5
"""Seconds that this may take before its row is shown."""

TURN = Progress("wait", 0, None, "for its turn")

COUNTED = ("read",)
"""Stages that count anew what is left when they go on."""


@dataclass(frozen=True, slots=True)
class Embedded:
    """What an embedding run did: how many changes of the store the vectors have taken up."""

    changes: int


JobResult: TypeAlias = (
    IndexReport | Models | Analysis | Embedded | Consolidated | ImportedChats | MessageVectors
)
"""What came of a job: of indexing, of a model, analysing, embedding, consolidating, importing."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a job has failed, and what to do next."""

    error: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Job:
    """Long work, of this process or, as far as it is known, of another one at the same home.

    What waits for its turn, or for a model server, is `running`, and its progress says so: `wait`. `paused`
    and `cut off` go on where they stopped: the one when somebody says so, the other by itself where a server
    or a workbench is open. `what`: the folder or the model that it is about. `started` and `progress` of
    another process's work are not known.
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
"""Does a job, and says what came of it."""


class Stopping(threading.Event):
    """A stop token; `given_up`: what was begun is not to go on by itself."""

    given_up = False


@dataclass(eq=False, slots=True)
class JobEntry:
    """A job of this process, from its order to its end.

    Where there is no `work` to call, kind, folder, collection, tags and model say what is to be done.
    """

    kind: str
    folder: Path | None = None
    collection: str = ""  # what the folder is called, where it has a name
    model: str = ""
    state: JobState | Literal["waiting"] = "waiting"
    tags: tuple[str, ...] = ()
    on: str = ""  # the cluster whose workers do it
    work: Work | None = None
    what: str = ""
    own: bool = False  # on the home's own account, without anybody asking for it
    id: str = ""
    started: datetime | None = None
    due: float = 0.0  # on the monotonic clock: not to be begun before
    wish: Wish = ""  # what it is being stopped for
    once_more: bool = False  # the folder has changed while it was being read
    progress: Progress | None = None
    result: JobResult | None = None
    error: Failure | None = None
    cause: ArkError | None = None  # of its end, also where that is no failure
    stop: Stopping = field(default_factory=Stopping)
    over: threading.Event = field(default_factory=threading.Event)
    begun: float = field(default_factory=time.monotonic)
    _stage_begun: float = 0.0
    _before: dict[str, int] = field(default_factory=dict)  # by stage: done before it was paused
    _wholes: dict[str, int] = field(default_factory=dict)  # by stage: how much it was then, as yet to be told

    def __post_init__(self) -> None:
        self.own = self.own or self.kind in UNASKED
        self.what = self.what or (str(self.folder) if self.folder else self.model)

    @property
    def lane(self) -> str:
        return LANES.get(self.kind, self.kind)

    @property
    def subject(self) -> str:
        """What it is about: what two jobs must not have in common."""
        if self.work is not None:
            return self.id
        return str(self.folder) if self.folder else self.kind

    @property
    def name(self) -> str:
        """The folder as people call it."""
        return self.collection or (self.folder.name or str(self.folder) if self.folder else self.model)

    @property
    def title(self) -> str:
        """What is being done."""
        titles = (
            {}
            if self.work
            else {
                "index": f"Indexing {self.name}",
                "look": f"Looking at {self.name}",
                "embed": "Embedding what waits",
                "model": f"Vectors of {self.name}",
                "analyse": "Analysing the corpus",
            }
        )
        return titles.get(self.kind, self.kind.capitalize())

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
        if not self.own or (self.state == "paused" and self.kind != WATCH):
            return True
        seen = self.state == "running" and time.monotonic() - self.begun >= UNSEEN
        return seen and self.kind != WATCH

    @property
    def run(self) -> Run | None:
        """As the home remembers it; None for what is called, which sees to that by itself."""
        if self.work is not None:
            return None
        about = str(self.folder) if self.folder else ""
        return Run(RUNS[self.kind], about, self.collection, self.tags, on=self.on)

    @property
    def job(self) -> Job:
        """As it is now."""
        kind = RUNS.get(self.kind, self.kind) if self.work is None else self.kind
        state, progress = self.state, self.progress
        if state == "waiting":
            state, progress = "running", progress or TURN
        return Job(self.id, kind, state, self.started, self.what, progress, self.result, self.error)

    def order(self) -> dict[str, object]:
        """What whoever does it is told."""
        claimed = "" if self.kind == "look" else self.collection  # a look gives no folder another name
        about = {"folder": str(self.folder), "collection": claimed, "tags": self.tags, "on": self.on}
        return {
            "do": self.kind,
            **(about if self.folder else {}),
            **({"model": self.model} if self.model else {}),
        }

    def since(self, age: float, seconds: float, before: int) -> None:
        """As another process says: seconds since the beginning, and since that of the stage; done before."""
        self.begun, self._stage_begun = time.monotonic() - age, time.monotonic() - seconds
        self._before = {self.progress.stage: before} if self.progress else {}

    def begin(self) -> None:
        """It is being done from now on."""
        self.state, self.wish, self.progress, self.stop = "running", "", None, Stopping()
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


class Listener(Protocol):
    """Who is told of the jobs of this process, from any thread, and must not wait in it."""

    def moved(self) -> None:
        """Something is otherwise than it was."""

    def ended(self, entry: JobEntry, result: JobResult | None, error: ArkError | None) -> None:
        """A job is over, with what came of it or why nothing has."""

    def noticed(self, notice: str) -> None:
        """Something has failed on the way and stopped nothing."""


def entry_of(run: Run) -> JobEntry:
    """A job that goes on with what was begun."""
    kind = "embed" if run.kind == "model" else run.kind
    folder = Path(run.what) if run.what and kind == "index" else None
    state: Literal["paused", "waiting"] = "paused" if run.paused else "waiting"
    return JobEntry(kind, folder, run.collection, state=state, tags=run.tags, on=run.on)


def cancelled(entry: JobEntry) -> Cancelled:
    """What to tell somebody of a job that was cancelled."""
    if entry.wish == "let go":
        return Cancelled(f"{entry.title} stopped.", "The folder is followed no more.")
    if entry.progress is None and entry.state == "waiting":
        return Cancelled(f"{entry.title}: taken off the list.", "Nothing of it was done.")
    again = "index the folder again to go on." if entry.folder else "nothing of it is lost."
    return Cancelled(f"{entry.title} stopped.", f"What was done is kept; {again}")
