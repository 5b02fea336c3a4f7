"""What has happened, as parts of the workbench tell each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from textual.message import Message

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from textual.widget import Widget

    from ark_tui.domain.errors import ArkError
    from ark_tui.domain.hits import SearchResult, SignalInfo
    from ark_tui.domain.jobs import JobEntry, JobResult
    from ark_tui.domain.memory import AccessKind
    from ark_tui.domain.query import Request
    from ark_tui.domain.work import Progress, Status
    from ark_tui.interfaces.tui.state.actions import Action

Wish: TypeAlias = Literal["filter", "order", "narrow", "rename", "remove", "restore", "purge"]
"""What a list of the library may want of its pane."""


@dataclass
class ActionChosen(Message):
    """An action was picked from the palette, or from the help."""

    action: Action


@dataclass
class SavedChosen(Message):
    """A saved search was picked there, by its name."""

    name: str


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
class MeasureMoved(Message):
    """A measure of the corpus is so far."""

    number: int
    progress: Progress


@dataclass
class LibraryAsked(Message):
    """A list of the library wants what only the whole pane can do."""

    what: Wish


def asking(what: Wish) -> Callable[[Any], None]:
    """An action of such a list, which the pane carries out."""

    def ask(self: Widget) -> None:
        self.post_message(LibraryAsked(what))

    return ask


@dataclass
class EditAsked(Message):
    """The person wants to edit a file, at a line counted from 1, or at its page, slide or sheet."""

    file: str
    line: int
    place: str = ""


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


class JobsMoved(Message):
    """Jobs are otherwise than they were."""


@dataclass
class WorkNoticed(Message):
    """Something has failed on the way of long work, and stopped nothing."""

    notice: str


@dataclass
class WorkEnded(Message):
    """A job is over, with what came of it, or an error."""

    job: JobEntry
    result: JobResult | None
    error: ArkError | None


@dataclass
class ChoiceMade(Message):
    """The person has chosen how things look; or how searches are ranked."""

    ranking: bool = field(kw_only=True, default=False)


class SettingsRead(Message):
    """The settings have been read again."""
