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
class Renamed:
    """A collection that has another name now."""

    collection: str
    was: str


@dataclass(frozen=True, slots=True)
class LetGo:
    """What has left the home with its collection, or would leave; `back` is the command that undoes it."""

    collection: str
    documents: int
    done: bool
    back: str
