"""Documents, chunks, links, and the drafts that ingest passes to the store."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date
from typing import Annotated, Any, ClassVar, Literal

from ark_tui.domain.fields import As, Key
from ark_tui.domain.unicode import composed

Tier = Literal["doc", "raw", "reflection", "wiki"]
TIERS: tuple[Tier, ...] = ("doc", "raw", "reflection", "wiki")

DateSource = Literal["front matter", "properties", "file name", "modified", "given", "none"]

PLACE = re.compile(
    r"(?:p\.|slide|chapter|cell|card) \d+|sheet .+"
)  # heading parts that format readers generate
SHORT = 6  # digits of a display id


def document_id(collection: str, path: str, item: str, attempt: int = 0) -> str:
    """The id of a new document: 16 hex digits of BLAKE2b.

    A document keeps its id when its file moves; a new file at the old path uses the next `attempt`.
    """
    name = "\0".join((collection, path, item, str(attempt)))
    from hashlib import blake2b  # loads OpenSSL, which a client does not need

    return blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def content_hash(data: bytes) -> str:
    """32 hex digits of BLAKE2b: equal content, equal hash."""
    from hashlib import blake2b

    return blake2b(data, digest_size=16).hexdigest()


def text_hash(context: str, text: str) -> str:
    """The key of a stored embedding: a hash (32 hex digits) of the model's input."""
    return content_hash(embedded_text(context, text).encode("utf-8", "surrogatepass"))


def embedded_text(context: str, text: str) -> str:
    """The model's input for a chunk: title and headings, then the text, in NFC."""
    return composed(f"{context}\n{text}" if context else text)


def context(title: str, heading: str) -> str:
    """Title and breadcrumb as one line; pass an empty `title` if it only repeats the file name."""
    if not heading or heading == title:
        return title
    return heading if not title or heading.startswith(title) else f"{title} › {heading}"


@dataclass(frozen=True, slots=True)
class Document:
    """A stored document, without its text."""

    also: ClassVar[tuple[str, ...]] = ("short_id",)

    id: str
    collection: str
    path: str  # relative to the collection's root, with `/`; for text without a file, the source id
    title: str
    type: str = "note"
    tier: Tier = "doc"
    status: str = ""
    date: date | None = None
    date_source: DateSource = "none"
    tags: tuple[str, ...] = ()
    item: str = ""  # id within a file with several documents (such as a JSONL line's id)
    stale: bool = False  # its file is newer than the index, or missing
    away: Annotated[bool, As.SPARSE] = False  # its folder is unavailable, such as an unplugged disk
    superseded_by: str = ""  # short id and title of its successor
    layer: Annotated[int, As.HIDDEN] = 0  # 0: from a folder; otherwise see `domain.memory.LAYERS`
    pinned: bool = False
    trashed: bool = False  # in the trash: excluded from every search, can be restored

    @property
    def short_id(self) -> str:
        return f"#{self.id[:SHORT]}"

    @property
    def called(self) -> Annotated[str, As.HIDDEN]:
        """Its title, or its path if it has no title."""
        return self.title or self.path

    @property
    def successor(self) -> Annotated[str, As.HIDDEN]:
        """The title of its successor."""
        return self.superseded_by.partition(" ")[2]

    @property
    def dated(self) -> Annotated[bool, As.HIDDEN]:
        """Whether its date was stated; the modification time of its file does not count."""
        return self.date is not None and self.date_source not in {"modified", "none"}


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document: `body[start_char:end_char]` is its text. Lines count from 1, inclusive."""

    id: str  # document id, ':', ordinal
    ordinal: Annotated[int, As.HIDDEN]
    start_char: int
    end_char: int
    start_line: int
    end_line: int
    heading: str = ""  # breadcrumb: "Graphs › Laplacian"

    @property
    def place(self) -> Annotated[str, As.HIDDEN]:
        """Its page, slide, sheet, chapter, cell or card; empty if the format has none."""
        return next((part for part in self.heading.split(" › ") if PLACE.fullmatch(part)), "")


@dataclass(frozen=True, slots=True)
class ChunkDraft:
    """A chunk as a chunker produces it; offsets count characters of the body, lines count from 1."""

    start_char: int
    end_char: int
    start_line: int
    end_line: int
    tokens: int
    heading: str = ""
    kind: str = "text"  # "text", "code", "symbol"
    language: str = ""  # the programming language; for text, its ISO 639-1 code ("" for English)


LinkOrigin = Literal["front matter", "text", "user"]

OCCURRED_IN = "occurred_in"
"""The relation to a period node (`month:2026-03`, `quarter:2026-Q1`); a period is not a document."""

SUPERSEDED_BY = "superseded_by"
"""The relation that hides a document from searches as long as its successor exists."""


@dataclass(frozen=True, slots=True)
class LinkDraft:
    """A link as written in a document; its target may not exist (yet)."""

    # links_to, builds_on, tensions, superseded_by, post_mortem, derives_from, contradicts, occurred_in
    relation: str
    target: str  # a stem, a relative path, a source id, or a period node such as month:2026-03
    line: int = 0
    origin: LinkOrigin = "text"
    anchor: str = ""  # the target heading, or the item of a file with several documents


@dataclass(frozen=True, slots=True)
class Link:
    """A link of the requested document: `out` starts there, `in` ends there."""

    relation: str
    direction: Literal["out", "in"]
    target: str  # as written in the linking document
    document: Document | None = None  # at the other end; None for a period or a missing target
    line: int = 0  # in the linking document; 0: front matter
    origin: LinkOrigin = "text"
    anchor: str = ""
    candidates: tuple[Document, ...] = ()  # the possible targets of an ambiguous link

    @property
    def state(self) -> Literal["resolved", "stub", "ambiguous", "period"]:
        """Whether the target was resolved."""
        if self.document:
            return "resolved"
        if self.relation == OCCURRED_IN:
            return "period"
        return "ambiguous" if self.candidates else "stub"


@dataclass(frozen=True, slots=True)
class Draft:
    """A parsed document, ready to be stored: text, metadata, chunks."""

    path: str
    title: str
    body: str
    chunks: tuple[ChunkDraft, ...]
    item: str = ""
    type: str = "note"
    tier: Tier = "doc"
    status: str = ""
    date: date | None = None
    date_source: DateSource = "none"
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()  # other names of its subject
    links: tuple[LinkDraft, ...] = ()
    source: str = ""  # the whole that it is a part of (a conversation, a book), and its position in it
    place: int | None = None
    source_id: str = ""
    format: str = "text"
    collection: str = ""  # if the item names one (JSONL); otherwise the root's
    titled: bool = True  # the title comes from the content, not from the file's name
    notices: tuple[str, ...] = ()  # warnings, such as broken front matter
    fields: tuple[tuple[str, str], ...] = ()  # keys and values from its file, see `store.fields`
    layer: int = 0  # of a memory, followed by its scope
    agent: str = ""
    session: str = ""
    owner: str = ""  # the only agent that sees it; empty: visible to all
    project: str = ""  # the project that it belongs to; empty: all projects

    def context(self, chunk: ChunkDraft) -> str:
        """The model's input before the text of the chunk."""
        return context(self.title if self.titled else "", chunk.heading)


@dataclass(frozen=True, slots=True)
class Passage:
    """A range of lines of a document, as `show` returns it."""

    also: ClassVar[tuple[str, ...]] = ("more",)

    document: Document
    text: str
    start_line: int
    end_line: int
    total_lines: int
    file: Annotated[str, As.NULL] = ""  # the absolute path of the original; "" without a file
    highlights: tuple[tuple[int, int], ...] = ()  # character ranges of `text` that match a query
    uncounted: Annotated[str, As.SPARSE] = ""  # why this access was not counted

    @property
    def more(self) -> int | None:
        """The line to continue from; None at the end."""
        return self.end_line + 1 if self.end_line < self.total_lines else None

    def window(self, first: int, count: int | None) -> Passage:
        """At most `count` of these lines, starting at line `first` of the document."""
        rows = re.findall(r"[^\n]*\n|[^\n]+", self.text)
        skipped = max(0, first - self.start_line)
        kept = rows[skipped:][:count]
        if len(kept) == len(rows):
            return self
        at, text, start = sum(map(len, rows[:skipped])), "".join(kept), self.start_line + skipped
        marks = [(a - at, b - at) for a, b in self.highlights if a >= at and b <= at + len(text)]
        last = start + len(kept) - 1
        return replace(self, text=text, start_line=start, end_line=last, highlights=tuple(marks))


@dataclass(frozen=True, slots=True)
class LiveChunk:
    """A chunk with everything an index needs; of a deleted (`gone`) chunk, only the number."""

    number: int
    change: int
    gone: bool
    document: int = 0
    document_id: str = ""
    ordinal: int = 0
    collection: str = ""
    path: str = ""
    title: str = ""
    aliases: str = ""  # other names from its document, one per line
    heading: str = ""
    context: str = ""
    before: str = ""  # the end of the preceding text, see `store.before`
    text: str = ""
    language: str = ""  # of the text: an ISO 639-1 code, "" for English and for code
    text_hash: str = ""
    tier: str = "doc"
    type: str = "note"
    tags: tuple[str, ...] = ()
    day: int | None = None  # days since 1970-01-01
    dated: bool = False  # the date was stated, not taken from the file's modification time
    source: str = ""
    place: int | None = None
    superseded: bool = False
    layer: int = 0
    since: int | None = None  # when it entered its layer, in minutes since 1970-01-01, rounded up
    item: str = ""
    status: str = ""
    date_source: DateSource = "none"
    start_char: int = 0
    end_char: int = 0
    start_line: int = 0
    end_line: int = 0
    root: str | None = None  # of its file; size and time at the last read (−1: no file)
    size: int = -1
    mtime_ns: int = -1
    said: tuple[Any, ...] = ()  # the columns of a one-chunk message, see `store.changes.OF_MESSAGE`


@dataclass(frozen=True, slots=True)
class Purged:
    """Permanently deleted documents; a preview unless `done`."""

    documents: tuple[Document, ...]
    bytes: int  # of text
    answers: int  # search log rows that listed them
    links: int = 0  # from remaining to deleted documents
    vectors: int = 0
    remains: tuple[str, ...] = ()  # files that still contain them: backups, and copies made before a restore
    # texts left in the files by an earlier deletion
    earlier: Annotated[int, Key("finished")] = 0
    done: Annotated[bool, Key("purged")] = False
