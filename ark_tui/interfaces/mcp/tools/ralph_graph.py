"""The family `ralph`, the link graph: traversal, paths, communities, central documents and bridges."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from pydantic import Field

from ark_tui.domain.documents import Document
from ark_tui.domain.graph import Direction, GraphEdge, Ranked, Relation
from ark_tui.engine import Engine
from ark_tui.interfaces.mcp import shapes
from ark_tui.interfaces.mcp.shapes import Brief, Limit, Name, Number, Tier
from ark_tui.interfaces.mcp.tool import READ, Family, ask
from ark_tui.operations import links
from ark_tui.operations.encoding import Json

FAMILY = Family()

Resolution = Annotated[float, Field(ge=0.1, le=5.0, description="Higher: more and smaller communities.")]
Near = Annotated[Name, Field(description="A document, by its id or path.")]
Depth = Annotated[int, Field(description="How many links away at most.")]
Kind = Annotated[Relation | None, Field(description="Only links of this type.")]
Community = Annotated[Number, Field(description="The id of a community.")]

MEMBERS = 50  # documents of a community that are listed
AROUND = 200  # documents of a walk or a subgraph that are listed


@FAMILY.tool("knowledge_traverse", READ)
def traverse(
    engine: Engine,
    from_: Annotated[Near, Field(alias="from")],
    type: Kind = None,  # noqa: A002 - the parameter's published name
    depth: Annotated[Depth, Field(ge=1, le=10)] = 3,
    direction: Annotated[Direction, Field(description="Along the links, or against them.")] = "outgoing",
    brief: Brief = False,
    memory_tier: Tier = "any",
) -> Json:
    """Follow typed links from a document, nearest documents first."""
    walk = ask(
        engine, links.traverse, ref=from_, type=type, depth=depth, direction=direction, tier=memory_tier
    )
    nodes = [
        {
            **_node(one.document, brief=brief),
            "depth": one.depth,
            "via": one.edge.type,
            "relations": list(one.relations),
            "parent": one.edge.source,
        }
        for one in walk.reached[:AROUND]
    ]
    return {"root": shapes.facts(walk.root), "nodes": nodes, "truncated": len(walk.reached) > AROUND}


@FAMILY.tool("knowledge_paths", READ)
def paths(
    engine: Engine,
    source: Near,
    target: Near,
    maxDepth: Annotated[Depth, Field(ge=1, le=10)] = 5,  # noqa: N803
) -> Json:
    """List the ways by which two documents are connected, the shortest first; at most twenty."""
    found = ask(engine, links.paths, source=source, target=target, depth=maxDepth)
    return {
        "paths": [[_node(one, brief=True) for one in way] for way in found.paths],
        "count": len(found.paths),
        "truncated": found.truncated,
    }


@FAMILY.tool("knowledge_common", READ)
def common(engine: Engine, docA: Near, docB: Near) -> Json:  # noqa: N803
    """List the documents that two documents are both linked with."""
    found = ask(engine, links.common, a=docA, b=docB)
    return {"common": _nodes(found.documents), "count": len(found.documents)}


@FAMILY.tool("knowledge_subgraph", READ)
def subgraph(
    engine: Engine, root: Near, depth: Annotated[Depth, Field(ge=1, le=5)] = 1, brief: Brief = False
) -> Json:
    """Get the surroundings of a document: the documents around it and all links between them."""
    found = ask(engine, links.subgraph, root=root, depth=depth)
    kept = {node.id for node in found.nodes[:AROUND]}
    return {
        "root": found.root.id,
        "nodes": [_node(node, brief=brief) for node in found.nodes[:AROUND]],
        "edges": [_edge(edge) for edge in found.edges if {edge.source, edge.target} <= kept],
        "truncated": len(found.nodes) > AROUND,
    }


@FAMILY.tool("knowledge_communities", READ)
def communities(engine: Engine, resolution: Resolution = 1.0, limit: Limit = 20) -> Json:
    """List groups of documents that link to each other more than to others (Louvain, deterministic)."""
    found = ask(engine, links.communities, resolution=resolution, limit=limit)
    return {
        "communities": [{"id": one.id, "label": one.label, "size": one.size} for one in found.communities],
        "modularity": found.modularity,
        "unlinked": found.unlinked,
    }


@FAMILY.tool("knowledge_community", READ)
def community(engine: Engine, communityId: Community, resolution: Resolution = 1.0) -> Json:  # noqa: N803
    """List the documents of one community."""
    found = ask(engine, links.community, id=communityId, resolution=resolution)
    return {
        "id": found.id,
        "label": found.label,
        "size": found.size,
        "documents": _nodes(found.documents[:MEMBERS]),
        "truncated": found.size > MEMBERS,
    }


@FAMILY.tool("knowledge_central", READ)
def central(engine: Engine, community: Community | None = None, limit: Limit = 10) -> Json:
    """List the documents that others rest on (PageRank over links), of one community if one is named."""
    return {"documents": _ranked(ask(engine, links.central, community=community, limit=limit))}


@FAMILY.tool("knowledge_bridges", READ)
def bridges(engine: Engine, limit: Limit = 10) -> Json:
    """List the documents by which parts of the knowledge hang together (betweenness over links)."""
    return {"documents": _ranked(ask(engine, links.bridges, limit=limit))}


def _node(document: Document, *, brief: bool) -> Json:
    return {"id": document.id, "title": document.title} if brief else shapes.facts(document)


def _nodes(documents: Iterable[Document]) -> list[Json]:
    return [shapes.facts(document) for document in documents]


def _edge(edge: GraphEdge) -> Json:
    return {"source": edge.source, "target": edge.target, "type": edge.type}


def _ranked(found: Iterable[Ranked]) -> list[Json]:
    return [{**shapes.facts(one.document), "score": one.score} for one in found]
