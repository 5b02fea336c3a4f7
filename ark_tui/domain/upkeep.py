"""Maintenance issues of a corpus: broken links, duplicates, changed files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ark_tui.domain.documents import Document
from ark_tui.domain.work import Status


@dataclass(frozen=True, slots=True)
class Broken:
    """A link without a target document, as written."""

    document: Document
    relation: str
    target: str
    line: int  # 0: in the front matter


@dataclass(frozen=True, slots=True)
class Repeat:
    """A document that is a near-duplicate of an earlier one; `chunks`: the number of matching chunks."""

    document: Document
    first: Document  # the earlier one
    chunks: int


@dataclass(frozen=True, slots=True)
class Moved:
    """A file that changed or disappeared since it was indexed."""

    collection: str
    path: str
    state: Literal["changed", "gone"]


@dataclass(frozen=True, slots=True)
class Upkeep:
    """All maintenance issues, sorted by path."""

    broken: tuple[Broken, ...] = ()
    repeats: tuple[Repeat, ...] = ()
    moved: tuple[Moved, ...] = ()


@dataclass(frozen=True, slots=True)
class Overview:
    """The state of a home, with counts of its documents outside the trash."""

    status: Status  # with its rows
    tiers: Mapping[str, int]
    types: Mapping[str, int]
    tags: Mapping[str, int]  # the most used ones
    relations: Mapping[str, tuple[int, int]]  # by link type: resolved links, all links
    tokens: int
    date_sources: Mapping[str, int]
    newest: tuple[Document, ...]  # by their own date
