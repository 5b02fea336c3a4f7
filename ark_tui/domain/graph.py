"""The graph of links, as its tools hand it out. Stubs and periods are not part of it."""

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
"""What a walk can be confined to; every link of another kind is `untyped`."""


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """A link from one document to another, by their ids."""

    source: str
    target: str
    relation: str  # as it is stored: links_to, builds_on …
    type: Relation


@dataclass(frozen=True, slots=True)
class Reached:
    """A document that a walk came to, and the link by which it did.

    `relations`: those of all links between the two documents that the walk may follow, that of `edge` first.
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
    """A document with its PageRank or its betweenness in the graph of links."""

    document: Document
    score: float


@dataclass(frozen=True, slots=True)
class LinkCommunity:
    """Documents that link to each other more than to others."""

    id: int  # from 1, the largest first
    label: str  # the commonest tag, else the commonest type, else "unknown"
    size: int
    documents: tuple[Document, ...] = ()  # all, by path


@dataclass(frozen=True, slots=True)
class LinkCommunities:
    """Louvain communities of the graph of links. `unlinked` documents are in none."""

    communities: tuple[LinkCommunity, ...]
    modularity: float
    resolution: float
    unlinked: int


@dataclass(frozen=True, slots=True)
class Paths:
    """The simple ways from one document to another along links in either direction, shortest first."""

    source: Document
    target: Document
    max_depth: int
    paths: tuple[tuple[Document, ...], ...] = ()
    truncated: bool = False  # there are more


@dataclass(frozen=True, slots=True)
class Shared:
    """The documents that two documents are both linked with."""

    a: Document
    b: Document
    documents: Annotated[tuple[Document, ...], Key("common")] = ()


@dataclass(frozen=True, slots=True)
class Subgraph:
    """The surroundings of a document."""

    root: Document
    depth: int
    nodes: tuple[Document, ...]
    edges: tuple[GraphEdge, ...] = field(default=())
