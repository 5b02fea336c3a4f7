"""Results of the link graph tools. The graph excludes stubs and periods."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal, get_args

from ark_tui.domain.documents import Document
from ark_tui.domain.fields import Key

Direction = Literal["outgoing", "incoming", "both"]
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)

Relation = Literal[
    "builds_on", "tensions", "superseded_by", "post_mortem", "derives_from", "contradicts", "untyped"
]
RELATIONS: tuple[Relation, ...] = get_args(Relation)
"""The link types that a walk can be restricted to; all other links are `untyped`."""


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """A link from one document to another, by their ids."""

    source: str
    target: str
    relation: str  # as it is stored: links_to, builds_on …
    type: Relation


@dataclass(frozen=True, slots=True)
class Reached:
    """A document reached by a walk, and the link that led to it.

    `relations`: of all links between the two documents that the walk may follow, that of `edge` first.
    """

    document: Document
    depth: int
    edge: GraphEdge
    relations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Walk:
    """A walk along links, nearest first; each document once."""

    root: Document
    direction: Direction
    depth: int
    reached: Annotated[tuple[Reached, ...], Key("results")]


@dataclass(frozen=True, slots=True)
class Ranked:
    """A document with its PageRank or betweenness in the link graph."""

    document: Document
    score: float


@dataclass(frozen=True, slots=True)
class LinkCommunity:
    """Documents with more links to each other than to others."""

    id: int  # from 1, the largest first
    label: str  # the most frequent tag, else the most frequent type, else "unknown"
    size: int
    documents: tuple[Document, ...] = ()  # all, by path


@dataclass(frozen=True, slots=True)
class LinkCommunities:
    """Louvain communities of the link graph. `unlinked`: the number of documents in none."""

    communities: tuple[LinkCommunity, ...]
    modularity: float
    resolution: float
    unlinked: int


@dataclass(frozen=True, slots=True)
class Paths:
    """The simple paths between two documents along links of either direction, shortest first."""

    source: Document
    target: Document
    max_depth: int
    paths: tuple[tuple[Document, ...], ...] = ()
    truncated: bool = False  # there are more


@dataclass(frozen=True, slots=True)
class Shared:
    """The common neighbors of two documents in the link graph."""

    a: Document
    b: Document
    documents: Annotated[tuple[Document, ...], Key("common")] = ()


@dataclass(frozen=True, slots=True)
class Subgraph:
    """The neighborhood of a document up to a depth."""

    root: Document
    depth: int
    nodes: tuple[Document, ...]
    edges: tuple[GraphEdge, ...] = field(default=())
