"""Recall by role, expert bundles, answers with sources, and memory statistics (M9, M10, M14)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Annotated, ClassVar

from ark_tui.domain.documents import Document, Tier
from ark_tui.domain.fields import As, Key, Some
from ark_tui.domain.hits import SearchResult
from ark_tui.domain.outcomes import Event

ROLES: Mapping[str, tuple[Tier, ...]] = MappingProxyType(
    {
        "researcher": ("raw", "reflection", "doc"),
        "planner": ("reflection", "wiki", "doc"),
        "implementer": ("wiki", "doc"),
        "reviewer": ("wiki", "doc"),
        "triager": ("doc", "wiki"),
    }
)
"""The tiers that each role searches (M9)."""


@dataclass(frozen=True, slots=True)
class TierSearch:
    """The search of one tier: the number of documents found, or why it failed."""

    tier: Tier
    found: int = 0
    problem: Annotated[str, As.NULL] = ""


@dataclass(frozen=True, slots=True)
class Recall:
    """The merged hits of one search per tier of a role; a duplicate keeps its higher score."""

    role: str
    tiers: tuple[TierSearch, ...]
    result: Annotated[SearchResult, As.FLAT]


@dataclass(frozen=True, slots=True)
class Bundle:
    """Background for an expert on a domain. `warning`: what is missing; empty if nothing is."""

    query_id: str
    domain: str
    wiki: tuple[Document, ...]  # latest first
    reflections: tuple[Document, ...]
    prior_outcomes: tuple[Event, ...]
    warning: Annotated[str, As.NULL] = ""


@dataclass(frozen=True, slots=True)
class Source:
    """A source of an answer. The answer cites it by `label`, the start of its id.

    `text`: the whole chunk, of which the snippet is a part.
    """

    label: str
    document: Annotated[Document, As.FLAT]
    snippet: str
    score: float
    text: Annotated[str, As.HIDDEN] = ""
    chunk: Annotated[str, As.HIDDEN] = ""  # its id


@dataclass(frozen=True, slots=True)
class Thought:
    """An answer from sources; without a model, the sources alone.

    `problem`: why there is no answer, or a warning about it. `dropped`: invalid citations that were removed.
    `left_out`: labels of sources that exceeded the model's context. `goes_to`: where the model runs, if
    remote. `off`: the signals unavailable in the search, grouped by reason.
    """

    query: str
    retrieval_id: str
    sources: tuple[Source, ...]
    answer: Annotated[str, As.NULL] = ""
    gaps: tuple[str, ...] = ()
    synthesized: bool = False
    model: Annotated[str, As.NULL] = ""
    problem: Annotated[str, As.NULL] = ""
    dropped: Annotated[tuple[str, ...], Key("dropped_citations")] = ()
    left_out: Annotated[tuple[str, ...], As.SPARSE] = ()
    goes_to: Annotated[str, As.SPARSE] = ""
    off: Annotated[tuple[str, ...], As.SPARSE] = ()


@dataclass(frozen=True, slots=True)
class Remembered:
    """A stored text; `problem`: why it is not indexed yet."""

    also: ClassVar[tuple[str, ...]] = ("indexed",)

    document: Annotated[Document, Some(("id", "path", "tier"))]
    problem: Annotated[str, As.NULL] = ""

    @property
    def indexed(self) -> bool:
        """Whether searches can find it."""
        return not self.problem


@dataclass(frozen=True, slots=True)
class MemoryStats:
    """Document counts, by tier and since a time, with percentiles of the chunks per document."""

    total_documents: int
    by_tier: Mapping[Tier, int]
    new_since: int
    chunks_per_doc_p50: int
    chunks_per_doc_p90: int
    last_reflection_at: datetime | None
    since: datetime
