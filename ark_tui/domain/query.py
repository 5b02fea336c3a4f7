"""What a person asks for, after reading."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from datetime import date
from typing import Literal, TypeAlias

SAVED = "@"  # what the name of a saved search begins with in a query line
ASKED = 2_000  # characters; a longer text is none that somebody asks: its times and exclusions are not meant

Mode = Literal["hybrid", "keyword", "semantic"]
MODES: tuple[Mode, ...] = ("hybrid", "keyword", "semantic")


Kind = Literal["collection", "tag", "tier", "layer", "type", "path", "source"]


@dataclass(frozen=True, slots=True)
class Has:
    """The document's collection, tier, layer, type or source is this; it has this tag; its path fits."""

    kind: Kind
    value: str


@dataclass(frozen=True, slots=True)
class Dated:
    """The document's date is one of these days, both ends among them. One without a date is not `Dated`."""

    first: date | None = None
    last: date | None = None


Sign = Literal["has", "=", ">", ">=", "<", "<="]


@dataclass(frozen=True, slots=True)
class Field:
    """The document says something under this key of its own (front matter, metadata), which compares so.

    `has` asks for any value. Key and value are case-folded; see `store.fields` for what is equal.
    """

    key: str
    sign: Sign = "has"
    value: str = ""


@dataclass(frozen=True, slots=True)
class Listed:
    """What the store answered to a `Field`: documents by number, ascending."""

    of: Field
    documents: array[int] = field(repr=False, hash=False)


@dataclass(frozen=True, slots=True)
class Holds:
    """The document holds these words one after the other, in one chunk's text, headings or title."""

    text: str


@dataclass(frozen=True, slots=True)
class Found:
    """What the word index answered to `Holds(text)`: chunks and their documents, by number, ascending.

    `state` names the state of the word index that was asked; equal text and state, equal answer.
    """

    text: str
    state: tuple[int, int]
    documents: array[int] = field(compare=False, repr=False)
    chunks: array[int] = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Not:
    """What `part` is not true of."""

    part: Condition


@dataclass(frozen=True, slots=True)
class Every:
    """All `parts` are true of the document; of none, all documents."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Either:
    """One of the `parts`, or more, is true of the document; of none, no document."""

    parts: tuple[Condition, ...]


Condition: TypeAlias = Has | Dated | Field | Listed | Holds | Found | Not | Every | Either
"""Something that is true of a document or not. It decides who may answer; it never ranks."""


@dataclass(frozen=True, slots=True)
class Expired:
    """Memories whose retention is over: of this layer, and there since before this minute (from 1970 on)."""

    layer: str
    before: int


@dataclass(frozen=True, slots=True)
class Filters:
    """Which documents may answer at all.

    Several values of one kind are alternatives, except tags: every tag must be there. A path matches as a
    run of whole folder or file names; `*` and `?` are wildcards. `where` is what the others cannot say; it
    holds beside them.
    """

    collections: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    tiers: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    dated: Dated | None = None
    where: Condition | None = None
    superseded: bool = False  # those that another document has superseded may answer, too
    layers: tuple[str, ...] = ()
    expired: tuple[Expired, ...] = ()  # memories that may not answer any more

    def __bool__(self) -> bool:
        """Whether there is any, apart from what is hidden unless asked for."""
        return any(
            (
                *(self.collections, self.tags, self.tiers, self.types, self.paths, self.layers),
                *(self.dated, self.where),
            )
        )


@dataclass(frozen=True, slots=True)
class Query:
    """A query line, read: the words to rank by, and the filters."""

    raw: str
    text: str  # without filters, exclusions and what the query says it is not about
    phrases: tuple[str, ...] = ()  # those that may not be missing are in the filters, too
    excluded: tuple[str, ...] = ()  # likewise
    filters: Filters = field(default_factory=Filters)
    negated: tuple[str, ...] = ()  # what it says in plain words that it is not about
    exclusions: tuple[tuple[str, tuple[str, ...]], ...] = ()  # the words that say so, each with its things


@dataclass(frozen=True, slots=True)
class Request:
    """A search as an interface asks for it."""

    query: str
    mode: Mode = "hybrid"
    limit: int = 10
    profile: str = ""  # empty: the configured one
    instead: str = ""  # the profile to rank by where the served model's cosine cannot run
    filters: Filters = field(default_factory=Filters)  # on top of those in the query
    typing: bool = False  # the last word may not be finished: it is also a prefix
    literal: bool = False  # quotation marks, dashes and `key:` are text: there is no query language in it
    literally: tuple[str, ...] = ()  # words of the query that say no time and exclude nothing
    superseded: bool = False  # list documents that were superseded, too, with their successors
    expand: bool | None = None  # further terms from the chat model; None: where the query is vague
    without: tuple[str, ...] = ()  # terms that are not to be added to the query, in any of their forms
    hops: int | None = None  # follow links so many steps from the best documents; None: as the profile says
    adjust: tuple[str, ...] = ()  # changes of the profile for this search: `weight.bm25=0.3`, `k=60`
    below: bool = False  # list what lies below the floor, too, where nothing is about the query
    rerank: bool | None = None  # have the best read by a re-ranker; None: as the profile says
    reranker: str = ""  # which one: the name of a model that was added, or `llm`; empty: the last added
    explain: bool = False  # with the reasons of each part and a sentence for each hit, which takes longer
    unlogged: bool = False  # this search is not kept in the log of searches
    agent: str = ""  # whose use of documents counts; empty: the configured one's
