"""Parsed queries, filters and search requests."""

from __future__ import annotations

import builtins
import dataclasses
import types
import typing
from array import array
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal, TypeAlias, get_args, get_origin, get_type_hints

SAVED = "@"  # prefix of a saved search's name in a query line
ASKED = 2_000  # characters; in longer (pasted) text, times and exclusions are not interpreted

Mode = Literal["hybrid", "keyword", "semantic"]
MODES: tuple[Mode, ...] = ("hybrid", "keyword", "semantic")


Kind = Literal["collection", "tag", "tier", "layer", "type", "path", "source"]


@dataclass(frozen=True, slots=True)
class Has:
    """A condition on the document's collection, tag, tier, layer, type, path or source."""

    kind: Kind
    value: str


@dataclass(frozen=True, slots=True)
class Dated:
    """The document's date is in this range, inclusive. A document without a date does not match."""

    first: date | None = None
    last: date | None = None


Sign = Literal["has", "=", ">", ">=", "<", "<="]


@dataclass(frozen=True, slots=True)
class Field:
    """A comparison with a metadata field of the document, such as one of its front matter.

    `has` matches any value. Key and value are case-folded; `store.fields` defines equality.
    """

    key: str
    sign: Sign = "has"
    value: str = ""


@dataclass(frozen=True, slots=True)
class Listed:
    """The matches of a `Field` in the store: document numbers, ascending."""

    of: Field
    documents: array[int] = field(repr=False, hash=False)


@dataclass(frozen=True, slots=True)
class Holds:
    """The document contains this phrase in the text, headings or title of one chunk."""

    text: str


@dataclass(frozen=True, slots=True)
class Found:
    """The matches of `Holds(text)` in the word index: chunk and document numbers, ascending.

    `state`: the version of the word index. Equal text and state have equal matches.
    """

    text: str
    state: tuple[int, int]
    documents: array[int] = field(compare=False, repr=False)
    chunks: array[int] = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Not:
    """`part` is false for the document."""

    part: Condition


@dataclass(frozen=True, slots=True)
class Every:
    """All `parts` are true for the document; without parts, always true."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Either:
    """At least one of the `parts` is true for the document; without parts, always false."""

    parts: tuple[Condition, ...]


Condition: TypeAlias = Has | Dated | Field | Listed | Holds | Found | Not | Every | Either
"""A Boolean filter on documents. It does not affect the ranking."""


@dataclass(frozen=True, slots=True)
class Expired:
    """Memories whose retention has ended: in `layer` since before `before` (minutes since 1970)."""

    layer: str
    before: int


@dataclass(frozen=True, slots=True)
class Filters:
    """Filters on the documents of a search.

    Several values of one kind are alternatives, except tags: a document must have all of them. A path
    matches a sequence of whole folder or file names; `*` and `?` are wildcards. `where`: an additional
    condition.
    """

    collections: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    tiers: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    dated: Dated | None = None
    where: Condition | None = None
    superseded: bool = False  # include superseded documents
    layers: tuple[str, ...] = ()
    expired: tuple[Expired, ...] = ()  # memories to exclude

    def __bool__(self) -> bool:
        """Whether any filter is set; `superseded` and `expired` do not count."""
        return any(
            (
                *(self.collections, self.tags, self.tiers, self.types, self.paths, self.layers),
                *(self.dated, self.where),
            )
        )


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query line: the text to rank by, and the filters."""

    raw: str
    text: str  # without filters, exclusions and negated parts
    phrases: tuple[str, ...] = ()  # required ones are in the filters, too
    excluded: tuple[str, ...] = ()  # likewise
    filters: Filters = field(default_factory=Filters)
    negated: tuple[str, ...] = ()  # terms negated in natural language
    exclusions: tuple[
        tuple[str, tuple[str, ...]], ...
    ] = ()  # each negating phrase, with the terms that it excludes


@dataclass(frozen=True, slots=True)
class Request:
    """A search as an interface asks for it."""

    query: str
    mode: Mode = "hybrid"
    limit: int = 10
    profile: str = ""  # empty: the configured one
    instead: str = ""  # the profile to use if the served model's cosine is unavailable
    filters: Filters = field(default_factory=Filters)  # on top of those in the query
    typing: bool = False  # the last word may be incomplete: it also matches as a prefix
    literal: bool = False  # no query syntax: quotation marks, dashes and `key:` are text
    literally: tuple[str, ...] = ()  # query words not to interpret as times or exclusions
    superseded: bool = False  # include superseded documents, with their successors
    expand: bool | None = None  # add terms from the chat model; None: only for a vague query
    without: tuple[str, ...] = ()  # terms not to add to the query, in any inflected form
    hops: int | None = None  # link steps to follow from the best documents; None: the profile's value
    adjust: tuple[str, ...] = ()  # profile overrides for this search: `weight.bm25=0.3`, `k=60`
    below: bool = False  # include results below the threshold if nothing is relevant
    rerank: bool | None = None  # re-rank the best results; None: the profile's value
    reranker: str = ""  # an added model's name, or `llm`; empty: the last added
    explain: bool = False  # add the reasons of each part and a sentence per hit (slower)
    unlogged: bool = False  # do not write this search to the search log
    agent: str = ""  # whose accesses count; empty: the configured agent's


KIND = "is"  # names the class of an object in the JSON of a request


def as_json(value: Any) -> Any:
    """Convert a request or a part of it to JSON values, without fields at their default."""
    if dataclasses.is_dataclass(value):
        given = {
            field.name: as_json(getattr(value, field.name))
            for field in dataclasses.fields(value)
            if getattr(value, field.name) != _default(field)
        }
        return {KIND: type(value).__name__, **given}
    if isinstance(value, date):
        return {KIND: "date", "day": value.isoformat()}
    if isinstance(value, tuple):
        return [as_json(one) for one in value]
    return value


def from_json(value: Any) -> Any:
    """Invert `as_json`. Unknown fields are ignored."""
    if isinstance(value, list):
        return tuple(from_json(one) for one in value)
    if not isinstance(value, dict):
        return value
    if value[KIND] == "date":
        return date.fromisoformat(value["day"])
    made: Any = globals()[value[KIND]]
    known = {field.name for field in dataclasses.fields(made)}
    return made(**{name: from_json(one) for name, one in value.items() if name in known})


def read_request(value: Any) -> Request | None:
    """Read a request from untrusted JSON; None if it is invalid."""
    try:
        request = from_json(value)
        return request if _sound(request, Request) and request.query.strip() else None
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError):
        return None


def _sound(value: Any, kind: Any) -> bool:
    """Whether a value matches a type, including all nested values."""
    inside = get_args(kind)
    match get_origin(kind):
        case typing.Union | types.UnionType:
            return any(_sound(value, arm) for arm in inside)
        case typing.Literal:
            return value in inside
        case builtins.tuple:
            return isinstance(value, tuple) and all(_sound(one, inside[0]) for one in value)
    if type(value) is not kind:
        return False
    hints = get_type_hints(kind) if dataclasses.is_dataclass(kind) else {}
    return all(_sound(getattr(value, name), hint) for name, hint in hints.items())


def _default(field: dataclasses.Field[Any]) -> Any:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return field.default
