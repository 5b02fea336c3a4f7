"""Messages between parts of the workbench."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from textual.message import Message

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.widget import Widget

    from ark_tui.domain.hits import SearchResult
    from ark_tui.domain.memory import AccessKind
    from ark_tui.domain.query import Request
    from ark_tui.interfaces.tui.state.actions import Action

Wish: TypeAlias = Literal["filter", "order", "narrow", "rename", "remove", "restore", "purge"]
"""Actions that a list of the library may request from its pane."""


@dataclass
class ActionChosen(Message):
    """An action was chosen in the palette or in the help."""

    action: Action


@dataclass
class SavedChosen(Message):
    """A saved search was chosen in the palette, by name."""

    name: str


class CorpusChanged(Message):
    """The searchable documents have changed."""


@dataclass
class HitsArrived(Message):
    """A stage of a search has arrived. Later searches have greater numbers."""

    number: int
    result: SearchResult
    again: bool = field(kw_only=True)  # the same query after a change of the corpus
    request: Request | None = field(kw_only=True, default=None)  # the request; None: same as before


@dataclass
class HitUsed(Message):
    """A hit was opened, copied or judged, so its search is logged."""

    document: str  # its id
    kind: AccessKind | None  # None: judged, which is not logged as an access


class Curated(Message):
    """An edit has finished or failed."""


@dataclass
class LibraryAsked(Message):
    """A list of the library requests an action of its pane."""

    what: Wish


def asking(what: Wish) -> Callable[[Any], None]:
    """A request for an action that the pane implements."""

    def ask(self: Widget) -> None:
        self.post_message(LibraryAsked(what))

    return ask


@dataclass
class EditAsked(Message):
    """Request to edit a file, at a line counted from 1, or at its page, slide or sheet."""

    file: str
    line: int
    place: str = ""


@dataclass
class IndexAsked(Message):
    """Request to index a folder. `collection`: its name, if it has one."""

    folder: str
    collection: str = ""


@dataclass
class CollectionChosen(Message):
    """Request to search in a collection."""

    name: str


@dataclass
class SearchAsked(Message):
    """Request to run a query, or a search as it was run before."""

    request: Request | str


@dataclass
class WorkAsked(Message):
    """Request for the whole analysis, or for the vectors of another model."""

    kind: Literal["analyse", "embed", "model"]
    model: str = ""


class ProfileChosen(Message):
    """Another ranking profile was chosen."""


class SettingsRead(Message):
    """The settings were reloaded."""
