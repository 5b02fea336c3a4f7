"""The library: documents listed page by page, in an order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from ark_tui.domain.documents import Chunk, Document, Tier

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


@dataclass(frozen=True, slots=True)
class SourceText:
    """A text that a program hands in under a source, which is its name within a collection."""

    source: str
    content: str
    title: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CollectionSize:
    """The chunks of a collection and their tokens, counted as the embedded model does."""

    name: str
    chunks: int = 0
    min_tokens: int = 0
    max_tokens: int = 0
    avg_tokens: float = 0.0
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Filled:
    """What was put into a collection, and the model whose vectors it gets."""

    collection: str
    documents: int
    chunks: int
    model: str
    dims: int


@dataclass(frozen=True, slots=True)
class ChunkHit:
    """A chunk that answers a query, with its whole text."""

    document: Document
    chunk: Chunk
    text: str
    score: float
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """`collection:source:index`."""
        return f"{self.document.collection}:{self.document.path}:{self.chunk.ordinal}"
