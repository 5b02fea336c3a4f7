"""Documents, chunks and what ingest hands to the store."""

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

PLACE = re.compile(r"(?:p\.|slide|chapter|cell|card) \d+|sheet .+")  # a part of a heading that readers make
SHORT = 6  # digits of a display id


def document_id(collection: str, path: str, item: str, attempt: int = 0) -> str:
    """The identity a document gets when it is first seen: 16 hex digits of BLAKE2b.

    It is kept when the file moves, so a later newcomer at the old place takes the next `attempt`.
    """
    name = "\0".join((collection, path, item, str(attempt)))
    from hashlib import blake2b  # it loads OpenSSL, which a client does without

    return blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def content_hash(data: bytes) -> str:
    """32 hex digits of BLAKE2b: equal content, equal hash."""
    from hashlib import blake2b

    return blake2b(data, digest_size=16).hexdigest()


def text_hash(context: str, text: str) -> str:
    """The key under which an embedding is kept: 32 hex digits over what the model is given."""
    return content_hash(embedded_text(context, text).encode("utf-8", "surrogatepass"))


def embedded_text(context: str, text: str) -> str:
    """What the model is given for a chunk: its title and headings, then its text, composed."""
    return composed(f"{context}\n{text}" if context else text)


def context(title: str, heading: str) -> str:
    """Title and breadcrumb as one line; `title` is empty when it only repeats the file's name."""
    if not heading or heading == title:
        return title
    return heading if not title or heading.startswith(title) else f"{title} › {heading}"


@dataclass(frozen=True, slots=True)
class Document:
    """A document as the store knows it, without its text."""

    also: ClassVar[tuple[str, ...]] = ("short_id",)

    id: str
    collection: str
    path: str  # relative to the collection's root, with `/`; the source id for text without a file
    title: str
    type: str = "note"
    tier: Tier = "doc"
    status: str = ""
    date: date | None = None
    date_source: DateSource = "none"
    tags: tuple[str, ...] = ()
    item: str = ""  # which document of a file that holds several (a JSONL line's id)
    stale: bool = False  # its file is newer than the index, or not there
    away: Annotated[bool, As.SPARSE] = False  # its folder is not there now, as that of a disk
    superseded_by: str = ""  # short id and title of the document that has taken its place
    layer: Annotated[int, As.HIDDEN] = 0  # 0: a document of a folder; otherwise see `domain.memory.LAYERS`
    pinned: bool = False
    trashed: bool = False  # in the trash: nothing finds it, and it can be brought back

    @property
    def short_id(self) -> str:
        return f"#{self.id[:SHORT]}"

    @property
    def called(self) -> Annotated[str, As.HIDDEN]:
        """Its title, and where it has none its path."""
        return self.title or self.path

    @property
    def successor(self) -> Annotated[str, As.HIDDEN]:
        """The title of the document that has taken its place."""
        return self.superseded_by.partition(" ")[2]

    @property
    def dated(self) -> Annotated[bool, As.HIDDEN]:
        """Whether somebody said from when it is; that its file was saved then says nothing."""
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
        """The page, slide, sheet, chapter, cell or card that it is on, where its file has such."""
        return next((part for part in self.heading.split(" › ") if PLACE.fullmatch(part)), "")


@dataclass(frozen=True, slots=True)
class ChunkDraft:
    """A piece of text as a chunker cut it; offsets count characters of the body, lines from 1."""

    start_char: int
    end_char: int
    start_line: int
    end_line: int
    tokens: int
    heading: str = ""
    kind: str = "text"  # "text", "code", "symbol"
    language: str = ""  # of code; of a text its ISO 639-1 code, "" for English


LinkOrigin = Literal["front matter", "text", "user"]

OCCURRED_IN = "occurred_in"
"""The relation to a period node (`month:2026-03`, `quarter:2026-Q1`), which is no document."""

SUPERSEDED_BY = "superseded_by"
"""The relation that hides a document from searches while its successor is there."""


@dataclass(frozen=True, slots=True)
class LinkDraft:
    """A link as it is written: the target may not exist (yet)."""

    # links_to, builds_on, tensions, superseded_by, post_mortem, derives_from, contradicts, occurred_in
    relation: str
    target: str  # a stem, a relative path, a source id, or a period node such as month:2026-03
    line: int = 0
    origin: LinkOrigin = "text"
    anchor: str = ""  # the heading that it points at, or the item of a file that holds several


@dataclass(frozen=True, slots=True)
class Link:
    """A link as one of its ends sees it: `out` leads from the document that was asked about, `in` to it."""

    relation: str
    direction: Literal["out", "in"]
    target: str  # as it is written in the document that it comes from
    document: Document | None = None  # at the other end; None for a period, and while there is no such one
    line: int = 0  # in the document that it comes from; 0 for front matter
    origin: LinkOrigin = "text"
    anchor: str = ""
    candidates: tuple[Document, ...] = ()  # where several documents may be meant

    @property
    def state(self) -> Literal["resolved", "stub", "ambiguous", "period"]:
        """What has become of it."""
        if self.document:
            return "resolved"
        if self.relation == OCCURRED_IN:
            return "period"
        return "ambiguous" if self.candidates else "stub"


@dataclass(frozen=True, slots=True)
class Draft:
    """A document read from outside, ready to be stored: its text, what it says of itself, its chunks."""

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
    aliases: tuple[str, ...] = ()  # other names of what it is about
    links: tuple[LinkDraft, ...] = ()
    source: str = ""  # what it is a part of (a conversation, a book), and its place therein
    place: int | None = None
    source_id: str = ""
    format: str = "text"
    collection: str = ""  # named by the item itself (JSONL); otherwise the root's
    titled: bool = True  # the title comes from the content, not from the file's name
    notices: tuple[str, ...] = ()  # what was odd about it but did not stop it (broken front matter)
    fields: tuple[tuple[str, str], ...] = ()  # keys and values that its file states, see `store.fields`
    layer: int = 0  # of a memory, with whose it is
    agent: str = ""
    session: str = ""
    owner: str = ""  # who sees it; empty: everybody
    project: str = ""  # which it belongs to; empty: to every one

    def context(self, chunk: ChunkDraft) -> str:
        """What the embedding model gets before the chunk's text."""
        return context(self.title if self.titled else "", chunk.heading)


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a document, as `show` hands it out."""

    also: ClassVar[tuple[str, ...]] = ("more",)

    document: Document
    text: str
    start_line: int
    end_line: int
    total_lines: int
    file: Annotated[str, As.NULL] = ""  # the absolute path of the original, or "" when there is none
    highlights: tuple[tuple[int, int], ...] = ()  # character ranges of `text` that match a query
    uncounted: Annotated[str, As.SPARSE] = ""  # why it does not count that it was opened

    @property
    def more(self) -> int | None:
        """The line to go on from; None at the end."""
        return self.end_line + 1 if self.end_line < self.total_lines else None

    def window(self, first: int, count: int | None) -> Passage:
        """Of these lines, at most `count` from the document's line `first` on."""
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
    """A chunk with all that an index needs to know of it; `gone` ones carry only their number."""

    number: int
    change: int
    gone: bool
    document: int = 0
    document_id: str = ""
    ordinal: int = 0
    collection: str = ""
    path: str = ""
    title: str = ""
    aliases: str = ""  # other names that its document gives itself, a line each
    heading: str = ""
    context: str = ""
    before: str = ""  # the end of what stands before it, see `store.before`
    text: str = ""
    language: str = ""  # in which the text is written: an ISO 639-1 code, "" for English and for code
    text_hash: str = ""
    tier: str = "doc"
    type: str = "note"
    tags: tuple[str, ...] = ()
    day: int | None = None  # days since 1970-01-01
    dated: bool = False  # somebody said so; not merely when the file was saved
    source: str = ""
    place: int | None = None
    superseded: bool = False
    layer: int = 0
    since: int | None = None  # when it came to its layer, in minutes since 1970-01-01, rounded up
    item: str = ""
    status: str = ""
    date_source: DateSource = "none"
    start_char: int = 0
    end_char: int = 0
    start_line: int = 0
    end_line: int = 0
    root: str | None = None  # of its file, and how that was when it was last read; −1: there is none
    size: int = -1
    mtime_ns: int = -1
    said: tuple[Any, ...] = ()  # of a message that is one chunk: its columns, see `store.changes.OF_MESSAGE`


@dataclass(frozen=True, slots=True)
class Purged:
    """What was deleted for good, or would be: `done` says which."""

    documents: tuple[Document, ...]
    bytes: int  # of text
    answers: int  # rows of the log of searches that listed them
    links: int = 0  # from documents that stay to those that go
    vectors: int = 0
    remains: tuple[str, ...] = ()  # files that still hold them: backups, and copies made before a restore
    # texts that an earlier deletion had left in the files
    earlier: Annotated[int, Key("finished")] = 0
    done: Annotated[bool, Key("purged")] = False
