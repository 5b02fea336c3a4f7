"""What is known of one document beside its text, for whoever reads it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ark_tui.domain.documents import Document, Link
from ark_tui.domain.wording import counted


@dataclass(frozen=True, slots=True)
class Symbol:
    """A function, a method or a class of source code, by its qualified name; or a page or heading of a file.

    `level`: how many it lies within.
    """

    name: str
    line: int  # from 1
    start_char: int
    level: int = 0


@dataclass(frozen=True, slots=True)
class Backlink:
    """A link that leads here, and the line that it stands in; nothing for one of front matter."""

    link: Link
    snippet: str = ""


@dataclass(frozen=True, slots=True)
class Particulars:
    """How a document is stored. Sizes are characters of text and bytes of the file; −1 without a file."""

    format: str
    hash: str
    characters: int
    chunks: int
    tokens: int
    added: datetime
    changed: datetime
    source: str = ""  # what it is a part of, and its place therein
    place: int | None = None
    source_id: str = ""
    size: int = -1
    modified: datetime | None = None
    notice: str = ""  # what was odd about its file
    tags: tuple[tuple[str, str], ...] = ()  # each with who gave it: file, user


@dataclass(frozen=True, slots=True)
class Stake:
    """What goes with some documents: their chunks, and the links to them from documents that stay."""

    documents: int
    chunks: int
    links: int

    def __str__(self) -> str:
        them = "it" if self.documents == 1 else "them"
        counts = (counted(self.documents, "document"), counted(self.chunks, "passage"))
        return f"{', '.join(counts)}, {counted(self.links, 'link')} to {them}"


@dataclass(frozen=True, slots=True)
class About:
    """A document with its surroundings: links from and to it, and texts that say the same."""

    document: Document
    file: str  # the absolute path of the original, or ""
    particulars: Particulars
    front_matter: tuple[tuple[str, str], ...] = ()  # key and value, as they are written
    links: tuple[Link, ...] = ()
    backlinks: tuple[Backlink, ...] = ()
    duplicates: tuple[Document, ...] = ()
