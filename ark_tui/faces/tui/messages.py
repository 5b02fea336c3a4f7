"""What has happened, as parts of the workbench tell each other."""

from __future__ import annotations

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
    from ark_tui.faces.tui.views import View
    from ark_tui.faces.tui.work.jobs import Job


class EngineOpened(Message):
    """The engine is there: searches can be asked for."""

    def __init__(self, signals: Mapping[str, SignalInfo]) -> None:
        super().__init__()
        self.signals = signals


class EngineFailed(Message):
    """The home cannot be opened."""

    def __init__(self, error: ArkError) -> None:
        super().__init__()
        self.error = error


class StatusArrived(Message):
    """The state of the home has been read."""

    def __init__(self, status: Status) -> None:
        super().__init__()
        self.status = status


class CorpusChanged(Message):
    """There is something new to be found, or something gone."""


class HitsArrived(Message):
    """A search, or its first stage, has come back. Later searches have greater numbers."""

    def __init__(
        self, number: int, result: SearchResult, *, again: bool, request: Request | None = None
    ) -> None:
        super().__init__()
        self.number = number
        self.result = result
        self.again = again  # the same query, because the corpus has changed
        self.request = request  # what was asked; None: what was asked before


class HitUsed(Message):
    """A hit was opened, copied or judged: its search is worth keeping."""

    def __init__(self, document: str, kind: AccessKind | None) -> None:
        super().__init__()
        self.document = document  # its id
        self.kind = kind  # None: judged, which is no access of its own


class TermSwitched(Message):
    """A term that searches add to the query is to be left out, or to be used again."""

    def __init__(self, term: str, *, on: bool) -> None:
        super().__init__()
        self.term = term
        self.on = on


class SearchFailed(Message):
    """A search could not be carried out."""

    def __init__(self, number: int, error: ArkError) -> None:
        super().__init__()
        self.number = number
        self.error = error


class Curated(Message):
    """An edit has been carried out, or has failed."""


class JudgmentsArrived(Message):
    """How documents were judged for a query: grades by id."""

    def __init__(self, query: str, grades: Mapping[str, int]) -> None:
        super().__init__()
        self.query = query
        self.grades = grades


class NotebookArrived(Message):
    """What is on the scratchpad, and the tasks, have been read."""

    def __init__(self, values: tuple[ScratchValue, ...], tasks: tuple[Task, ...]) -> None:
        super().__init__()
        self.values = values
        self.tasks = tasks


class MeasureMoved(Message):
    """A measure of the corpus is so far."""

    def __init__(self, number: int, progress: Progress) -> None:
        super().__init__()
        self.number = number
        self.progress = progress


class MeasureEnded(Message):
    """A measure has been taken of the corpus in a state, or could not be."""

    def __init__(self, number: int, view: View | None, change: int, error: ArkError | None = None) -> None:
        super().__init__()
        self.number = number
        self.view = view
        self.change = change
        self.error = error


class ModelsArrived(Message):
    """Which models there are has been read, or could not be."""

    def __init__(self, models: Models | None, error: ArkError | None, in_use: str) -> None:
        super().__init__()
        self.models = models
        self.error = error
        self.in_use = in_use  # the ranking profile of a plain search


class LibraryAsked(Message):
    """A list of the library wants what only the whole pane can do."""

    def __init__(
        self, what: Literal["filter", "order", "narrow", "rename", "remove", "restore", "purge"]
    ) -> None:
        super().__init__()
        self.what = what


class QueueArrived(Message):
    """What wants attention has been looked up; `unfound`: what no search brings back."""

    def __init__(self, queue: Queue, *, unfound: bool = False) -> None:
        super().__init__()
        self.queue = queue
        self.unfound = unfound


class PresentArrived(Message):
    """What the file of a stale document of the queue says now has been read, or why that cannot be."""

    def __init__(self, item: Item, passage: Passage | None, why: str) -> None:
        super().__init__()
        self.item = item
        self.passage = passage
        self.why = why


class AttentionArrived(Message):
    """What the library looks up besides has come back, for one of its views."""

    def __init__(
        self, view: str, *, items: tuple[Item, ...] = (), documents: tuple[Document, ...] = ()
    ) -> None:
        super().__init__()
        self.view = view
        self.items = items
        self.documents = documents


class LampsChanged(Message):
    """Which signals ran in the search that is shown."""

    def __init__(self, lamps: tuple[Lamp, ...]) -> None:
        super().__init__()
        self.lamps = lamps


class EditAsked(Message):
    """The person wants to edit a file, at a line counted from 1."""

    def __init__(self, file: str, line: int) -> None:
        super().__init__()
        self.file = file
        self.line = line


class IndexAsked(Message):
    """The person wants a folder to be indexed; `collection` is given where it has a name already."""

    def __init__(self, folder: str, collection: str = "") -> None:
        super().__init__()
        self.folder = folder
        self.collection = collection


class CollectionChosen(Message):
    """The person wants to search in one collection."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name


class SearchAsked(Message):
    """The person wants a search of the log once more, as it was run."""

    def __init__(self, request: Request) -> None:
        super().__init__()
        self.request = request


class WorkAsked(Message):
    """The person wants the whole analysis, or the vectors of another model."""

    def __init__(self, kind: Literal["analyse", "embed", "model"], model: str = "") -> None:
        super().__init__()
        self.kind = kind
        self.model = model


class WorkHeard(Message):
    """A working process has said something."""

    def __init__(self, lane: str, serial: int, event: dict[str, Any]) -> None:
        super().__init__()
        self.lane = lane
        self.serial = serial  # of the process: one that was let go has no say any more
        self.event = event


class WorkMoved(Message):
    """Long work has got further; `described` is of the folder that is being indexed, if one is."""

    def __init__(self, described: str) -> None:
        super().__init__()
        self.described = described


class WorkEnded(Message):
    """A job is over, with a report where it has one, or an error."""

    def __init__(self, job: Job, report: IndexReport | None, error: ArkError | None) -> None:
        super().__init__()
        self.job = job
        self.report = report
        self.error = error


class FoldersChanged(Message):
    """Something was saved in folders, or they have come back."""

    def __init__(self, folders: tuple[Path, ...]) -> None:
        super().__init__()
        self.folders = folders


class WaitingSeen(Message):
    """Whether texts wait for their vectors, and why those cannot be made."""

    def __init__(self, *, wanted: bool, problem: str) -> None:
        super().__init__()
        self.wanted = wanted
        self.problem = problem


class ChoiceMade(Message):
    """The person has chosen how things look; or how searches are ranked."""

    def __init__(self, *, ranking: bool = False) -> None:
        super().__init__()
        self.ranking = ranking


class SettingsRead(Message):
    """The settings have been read again."""


class WatchFailed(Message):
    """The system does not watch the folders."""

    def __init__(self, error: ArkError) -> None:
        super().__init__()
        self.error = error
