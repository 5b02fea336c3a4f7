"""What has happened, as parts of the workbench tell each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from textual.message import Message

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ark_tui.domain.curation import Item, Queue
    from ark_tui.domain.documents import Document, Passage
    from ark_tui.domain.errors import ArkError
    from ark_tui.domain.hits import Lamp, SearchResult, SignalInfo
    from ark_tui.domain.memory import AccessKind, ScratchValue, Task
    from ark_tui.domain.models import Models
    from ark_tui.domain.query import Request
    from ark_tui.domain.work import IndexReport, Progress, Status
    from ark_tui.faces.tui.state.views import View
    from ark_tui.faces.tui.work.jobs import Job


@dataclass
class EngineOpened(Message):
    """The engine is there: searches can be asked for."""

    signals: Mapping[str, SignalInfo]


@dataclass
class EngineFailed(Message):
    """The home cannot be opened."""

    error: ArkError


@dataclass
class StatusArrived(Message):
    """The state of the home has been read."""

    status: Status


class CorpusChanged(Message):
    """There is something new to be found, or something gone."""


@dataclass
class HitsArrived(Message):
    """A search, or its first stage, has come back. Later searches have greater numbers."""

    number: int
    result: SearchResult
    again: bool = field(kw_only=True)  # the same query, because the corpus has changed
    request: Request | None = field(kw_only=True, default=None)  # what was asked; None: what was asked before


@dataclass
class HitUsed(Message):
    """A hit was opened, copied or judged: its search is worth keeping."""

    document: str  # its id
    kind: AccessKind | None  # None: judged, which is no access of its own


@dataclass
class TermSwitched(Message):
    """A term that searches add to the query is to be left out, or to be used again."""

    term: str
    on: bool = field(kw_only=True)


@dataclass
class WordsSwitched(Message):
    """Words of the query are to be read as they stand, or as what they were understood as again."""

    words: str
    on: bool = field(kw_only=True)


@dataclass
class SearchFailed(Message):
    """A search could not be carried out."""

    number: int
    error: ArkError


class Curated(Message):
    """An edit has been carried out, or has failed."""


@dataclass
class JudgmentsArrived(Message):
    """How documents were judged for a query: grades by id."""

    query: str
    grades: Mapping[str, int]


@dataclass
class NotebookArrived(Message):
    """What is on the scratchpad, and the tasks, have been read."""

    values: tuple[ScratchValue, ...]
    tasks: tuple[Task, ...]


@dataclass
class MeasureMoved(Message):
    """A measure of the corpus is so far."""

    number: int
    progress: Progress


@dataclass
class MeasureEnded(Message):
    """A measure has been taken of the corpus in a state, or could not be."""

    number: int
    view: View | None
    change: int
    error: ArkError | None = None


@dataclass
class ModelsArrived(Message):
    """Which models there are has been read, or could not be."""

    models: Models | None
    error: ArkError | None
    in_use: str  # the ranking profile of a plain search


@dataclass
class LibraryAsked(Message):
    """A list of the library wants what only the whole pane can do."""

    what: Literal["filter", "order", "narrow", "rename", "remove", "restore", "purge"]


@dataclass
class QueueArrived(Message):
    """What wants attention has been looked up; `unfound`: what no search brings back."""

    queue: Queue
    unfound: bool = field(kw_only=True, default=False)


@dataclass
class PresentArrived(Message):
    """What the file of a stale document of the queue says now has been read, or why that cannot be."""

    item: Item
    passage: Passage | None
    why: str


@dataclass
class AttentionArrived(Message):
    """What the library looks up besides has come back, for one of its views."""

    view: str
    items: tuple[Item, ...] = field(kw_only=True, default=())
    documents: tuple[Document, ...] = field(kw_only=True, default=())


@dataclass
class LampsChanged(Message):
    """Which signals ran in the search that is shown."""

    lamps: tuple[Lamp, ...]


@dataclass
class EditAsked(Message):
    """The person wants to edit a file, at a line counted from 1."""

    file: str
    line: int


@dataclass
class IndexAsked(Message):
    """The person wants a folder to be indexed; `collection` is given where it has a name already."""

    folder: str
    collection: str = ""


@dataclass
class CollectionChosen(Message):
    """The person wants to search in one collection."""

    name: str


@dataclass
class SearchAsked(Message):
    """The person wants a search of the log once more, as it was run."""

    request: Request


@dataclass
class WorkAsked(Message):
    """The person wants the whole analysis, or the vectors of another model."""

    kind: Literal["analyse", "embed", "model"]
    model: str = ""


@dataclass
class WorkHeard(Message):
    """A working process has said something."""

    lane: str
    serial: int  # of the process: one that was let go has no say any more
    event: dict[str, Any]


@dataclass
class WorkMoved(Message):
    """Long work has got further; `described` is of the folder that is being indexed, if one is."""

    described: str


@dataclass
class WorkEnded(Message):
    """A job is over, with a report where it has one, or an error."""

    job: Job
    report: IndexReport | None
    error: ArkError | None


@dataclass
class FoldersChanged(Message):
    """Something was saved in folders, or they have come back."""

    folders: tuple[Path, ...]


@dataclass
class WaitingSeen(Message):
    """Whether texts wait for their vectors, and why those cannot be made."""

    wanted: bool = field(kw_only=True)
    problem: str = field(kw_only=True)


@dataclass
class ChoiceMade(Message):
    """The person has chosen how things look; or how searches are ranked."""

    ranking: bool = field(kw_only=True, default=False)


class SettingsRead(Message):
    """The settings have been read again."""


@dataclass
class WatchFailed(Message):
    """The system does not watch the folders."""

    error: ArkError
