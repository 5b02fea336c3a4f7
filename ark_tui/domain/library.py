"""The library: paged, sorted lists of documents, and operations on collections."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, Literal, TypeVar, get_args

from ark_tui.domain.documents import Chunk, Document, Tier
from ark_tui.domain.memory import Conversation
from ark_tui.domain.work import Status

Order = Literal["title", "date", "path"]
ORDERS: tuple[Order, ...] = get_args(Order)


@dataclass(frozen=True, slots=True)
class Listing:
    """Filters and sort order of a document list. Pinned documents come first; dates sort newest first."""

    collection: str = ""  # empty: all collections
    words: str = ""  # each must occur in the title, the path or a tag
    order: Order = "title"
    tags: tuple[str, ...] = ()  # all of them are required
    tier: Tier | None = None  # None: any
    pinned: bool = False  # only pinned documents
    trashed: bool = False  # only documents in the trash


@dataclass(frozen=True, slots=True)
class Findable:
    """A document or a file without one, to be found by name; `state`: why searches do not find it."""

    ref: str  # the document's id, or the file's collection and path
    title: str
    place: str  # collection and path
    state: Literal["", "trash", "skipped", "failed"] = ""

    @property
    def name(self) -> str:
        """The text to match typed letters against."""
        return f"{self.title} {self.place}"


@dataclass(frozen=True, slots=True)
class FieldCount:
    """A metadata key, or a value of one, and the number of documents with it."""

    name: str
    documents: int


@dataclass(frozen=True, slots=True)
class Renamed:
    """A renamed collection. `edit`: the number of the edit, which can be undone."""

    collection: str
    was: str
    edit: int | None = None


@dataclass(frozen=True, slots=True)
class CollectionRemoved:
    """A collection removed from the home; a preview unless `done`. `back`: the command that undoes it."""

    collection: str
    documents: int
    done: bool
    back: str


@dataclass(frozen=True, slots=True)
class SourceText:
    """A text added by a program; `source` is its unique name within the collection."""

    source: str
    content: str
    title: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CollectionSize:
    """Chunk and token counts of a collection, by the embedded model's tokenizer."""

    name: str
    chunks: int = 0
    min_tokens: int = 0
    max_tokens: int = 0
    avg_tokens: float = 0.0
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Filled:
    """The documents and chunks added to a collection, and the model that embeds them."""

    collection: str
    documents: int
    chunks: int
    model: str
    dims: int


@dataclass(frozen=True, slots=True)
class ChunkHit:
    """A chunk found by a query, with its whole text."""

    document: Document
    chunk: Chunk
    text: str
    score: float
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """`collection:source:index`."""
        return f"{self.document.collection}:{self.document.path}:{self.chunk.ordinal}"


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


Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Page(Generic[Row]):
    """A page of a list: its rows from `offset` on; `total` counts all pages.

    `row`: the position of the requested item in the list; None if none was requested or found.
    """

    rows: tuple[Row, ...]
    total: int
    offset: int = 0
    row: int | None = None


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation in a list, with the time of its latest message and its first words."""

    conversation: Conversation
    latest: datetime
    beginning: str = ""
