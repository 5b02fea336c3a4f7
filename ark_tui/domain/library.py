"""The library: documents listed page by page, in an order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from ark_tui.domain.documents import Tier

Order = Literal["title", "date", "path"]
ORDERS: tuple[Order, ...] = get_args(Order)


@dataclass(frozen=True, slots=True)
class Listing:
    """Which documents, in which order: pinned ones first; by date the newest first."""

    collection: str = ""  # empty: of all of them
    words: str = ""  # each of which is in the title, the path or a tag
    order: Order = "title"
    tags: tuple[str, ...] = ()  # all of which it has
    tier: Tier | None = None  # None: of any
    pinned: bool = False  # the pinned ones alone
    trashed: bool = False  # those in the trash, and no others


@dataclass(frozen=True, slots=True)
class Findable:
    """A document, or a file that brought none, as it can be named; `state`: why no search finds it."""

    ref: str  # the id of the document, or the file's collection and path
    title: str
    place: str  # collection and path
    state: Literal["", "trash", "skipped", "failed"] = ""

    @property
    def name(self) -> str:
        """What letters are looked for in."""
        return f"{self.title} {self.place}"


@dataclass(frozen=True, slots=True)
class FieldCount:
    """A key that documents state, such as one of their front matter, or a value of it; and how many do."""

    name: str
    documents: int


@dataclass(frozen=True, slots=True)
class Renamed:
    """A collection that has another name now. `edit`: its number in the log of edits; undo takes it back."""

    collection: str
    was: str
    edit: int | None = None


@dataclass(frozen=True, slots=True)
class LetGo:
    """What has left the home with its collection, or would leave; `back` is the command that undoes it."""

    collection: str
    documents: int
    done: bool
    back: str
