"""The graph of links as JSON, with the field names of the graph tools."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ark_tui.faces.reports.wire import Json, document

if TYPE_CHECKING:
    from ark_tui.domain.graph import (
        GraphEdge,
        LinkCommunities,
        LinkCommunity,
        Paths,
        Ranked,
        Shared,
        Subgraph,
        Walk,
    )


def edge(of: GraphEdge) -> Json:
    """A link, by the ids of its ends."""
    return {"source": of.source, "target": of.target, "type": of.type, "relation": of.relation}


def walk(of: Walk) -> Json:
    return {
        "root": document(of.root),
        "direction": of.direction,
        "depth": of.depth,
        "results": [
            {"document": document(one.document), "depth": one.depth, "edge": edge(one.edge)}
            for one in of.reached
        ],
    }


def paths(of: Paths) -> Json:
    return {
        "source": document(of.source),
        "target": document(of.target),
        "max_depth": of.max_depth,
        "paths": [[document(one) for one in way] for way in of.paths],
        "truncated": of.truncated,
    }


def shared(of: Shared) -> Json:
    return {"a": document(of.a), "b": document(of.b), "common": [document(one) for one in of.documents]}


def subgraph(of: Subgraph) -> Json:
    return {
        "root": document(of.root),
        "depth": of.depth,
        "nodes": [document(one) for one in of.nodes],
        "edges": [edge(one) for one in of.edges],
    }


def ranked(of: Iterable[Ranked]) -> list[Json]:
    """Central documents, or bridges."""
    return [{"document": document(one.document), "score": one.score} for one in of]


def community(of: LinkCommunity) -> Json:
    return {
        "id": of.id, "label": of.label, "size": of.size, "documents": [document(one) for one in of.documents]
    }  # fmt: skip


def communities(of: LinkCommunities) -> Json:
    return {
        "communities": [community(one) for one in of.communities],
        "modularity": of.modularity,
        "resolution": of.resolution,
        "unlinked": of.unlinked,
    }
