"""What a person asks for, after reading."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Mode = Literal["hybrid", "keyword", "semantic"]
MODES: tuple[Mode, ...] = ("hybrid", "keyword", "semantic")


@dataclass(frozen=True, slots=True)
class Filters:
    """Which documents may answer at all.

    Several values of one kind are alternatives, except tags: every tag must be there. A path matches as a
    run of whole folder or file names; `*` and `?` are wildcards.
    """

    collections: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    tiers: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    superseded: bool = False  # those that another document has superseded may answer, too

    def __bool__(self) -> bool:
        """Whether there is any, apart from what is hidden unless asked for."""
        return bool(self.collections or self.tags or self.tiers or self.types or self.paths)


@dataclass(frozen=True, slots=True)
class Query:
    """A query line, read: the words to rank by, and the filters."""

    raw: str
    text: str  # without filters and exclusions
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    filters: Filters = field(default_factory=Filters)


@dataclass(frozen=True, slots=True)
class Request:
    """A search as a face asks for it."""

    query: str
    mode: Mode = "hybrid"
    limit: int = 10
    profile: str = ""  # empty: the configured one
    filters: Filters = field(default_factory=Filters)  # on top of those in the query
    typing: bool = False  # the last word may not be finished: it is also a prefix
    literal: bool = False  # quotation marks, dashes and `key:` are text: there is no query language in it
    superseded: bool = False  # list documents that were superseded, too, with their successors
    unlogged: bool = False  # this search is not kept in the log of searches
