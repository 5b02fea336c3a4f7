"""Metadata of one document for a reader: symbols, links, storage details."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ark_tui.domain.documents import Document, Link
from ark_tui.domain.wording import counted


@dataclass(frozen=True, slots=True)
class Symbol:
    """A function, method or class, by its qualified name; or a page or heading.

    `level`: its nesting depth.
    """

    name: str
    line: int  # from 1
    start_char: int
    level: int = 0


@dataclass(frozen=True, slots=True)
class Backlink:
    """An incoming link, with its line; without one if it is in front matter."""

    link: Link
    snippet: str = ""


@dataclass(frozen=True, slots=True)
class Particulars:
    """Storage details of a document; `characters` of text, `size` of the file in bytes (−1: no file)."""

    format: str
    hash: str
    characters: int
    chunks: int
    tokens: int
    added: datetime
    changed: datetime
    source: str = ""  # the whole that it is a part of, and its position in it
    place: int | None = None
    source_id: str = ""
    size: int = -1
    modified: datetime | None = None
    notice: str = ""  # a warning about its file
    tags: tuple[tuple[str, str], ...] = ()  # each with its origin: file, user


@dataclass(frozen=True, slots=True)
class Stake:
    """What deleting documents affects: their chunks, and links to them from remaining documents."""

    documents: int
    chunks: int
    links: int

    def __str__(self) -> str:
        them = "it" if self.documents == 1 else "them"
        counts = (counted(self.documents, "document"), counted(self.chunks, "passage"))
        return f"{', '.join(counts)}, {counted(self.links, 'link')} to {them}"


@dataclass(frozen=True, slots=True)
class About:
    """A document with its links, backlinks and duplicates."""

    document: Document
    file: str  # the absolute path of the original; "" without a file
    particulars: Particulars
    front_matter: tuple[tuple[str, str], ...] = ()  # keys and values as written
    links: tuple[Link, ...] = ()
    backlinks: tuple[Backlink, ...] = ()
    duplicates: tuple[Document, ...] = ()
