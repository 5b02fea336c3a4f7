"""What a corpus needs looking after: links to nowhere, texts kept twice, files that have moved on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Literal

from ark_tui.domain.documents import Document
from ark_tui.domain.work import Status


@dataclass(frozen=True, slots=True)
class Broken:
    """A link that leads to no document, as it is written."""

    document: Document
    relation: str
    target: str
    line: int  # 0: in the front matter


@dataclass(frozen=True, slots=True)
class Repeat:
    """Two documents that say the same in almost the same words, in so many chunks."""

    document: Document
    first: Document  # the one that was there before
    chunks: int


@dataclass(frozen=True, slots=True)
class Moved:
    """A file that is not as it was when it was indexed."""

    collection: str
    path: str
    state: Literal["changed", "gone"]


@dataclass(frozen=True, slots=True)
class Upkeep:
    """All of it, sorted by place."""

    broken: tuple[Broken, ...] = ()
    repeats: tuple[Repeat, ...] = ()
    moved: tuple[Moved, ...] = ()


Days = tuple[tuple[date, int], ...]
"""How many there were of something, by day (or the first day of a month); days without any are left out."""


@dataclass(frozen=True, slots=True)
class Overview:
    """The state of a home together with counts of its living documents."""

    status: Status  # with its rows
    tiers: Mapping[str, int]
    types: Mapping[str, int]
    tags: Mapping[str, int]  # the most used ones
    relations: Mapping[str, tuple[int, int]]  # of links: those that lead somewhere, and all of them
    tokens: int
    date_sources: Mapping[str, int]
    dated: Days  # documents by the month of their own date
    newest: tuple[Document, ...]  # by their own date
