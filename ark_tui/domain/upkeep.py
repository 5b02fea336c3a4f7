"""What a corpus needs looking after: links to nowhere, texts kept twice, files that have moved on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ark_tui.domain.documents import Document


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
