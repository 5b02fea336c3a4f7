"""Recall by role, expert bundles, answers with sources, and what the memory amounts to (M9, M10, M14)."""

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
"""The tiers that each role recalls from (M9)."""


@dataclass(frozen=True, slots=True)
class TierSearch:
    """What the search of one tier came to: how many documents it found, or why it failed."""

    tier: Tier
    found: int = 0
    problem: Annotated[str, As.NULL] = ""


@dataclass(frozen=True, slots=True)
class Recall:
    """What a role recalls: the hits of a search per tier, each document once, with its higher score."""

    role: str
    tiers: tuple[TierSearch, ...]
    result: Annotated[SearchResult, As.FLAT]


@dataclass(frozen=True, slots=True)
class Bundle:
    """What an expert of a domain would bring along. `warning` says what is missing; empty: nothing."""

    query_id: str
    domain: str
    wiki: tuple[Document, ...]  # the latest first
    reflections: tuple[Document, ...]
    prior_outcomes: tuple[Event, ...]
    warning: Annotated[str, As.NULL] = ""


@dataclass(frozen=True, slots=True)
class Source:
    """A text that an answer may rest on. `label` is how the answer cites it: the start of its id.

    `text`: the whole chunk that was found, of which the snippet is a part.
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

    `problem`: why there is no answer, or what is odd about it. `dropped`: what it cited that is no source.
    `left_out`: the labels of sources that did not fit into the model's context. `goes_to`: where the model
    runs, if that is elsewhere. `off`: the signals that could not run when the sources were searched for, by
    their reasons.
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
    """A text that was kept; `problem`: why the indexes have not taken it up yet."""

    also: ClassVar[tuple[str, ...]] = ("indexed",)

    document: Annotated[Document, Some(("id", "path", "tier"))]
    problem: Annotated[str, As.NULL] = ""

    @property
    def indexed(self) -> bool:
        """Whether a search finds it already."""
        return not self.problem


@dataclass(frozen=True, slots=True)
class MemoryStats:
    """How much there is, by tier, and what is new. Percentiles are of the chunks per document."""

    total_documents: int
    by_tier: Mapping[Tier, int]
    new_since: int
    chunks_per_doc_p50: int
    chunks_per_doc_p90: int
    last_reflection_at: datetime | None
    since: datetime
