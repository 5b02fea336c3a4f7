"""The family `ralph`, the link graph: traversal, paths, communities, central documents and bridges."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ark_tui.domain.documents import Document
from ark_tui.domain.graph import LinkCommunities, LinkCommunity, Paths, Ranked, Shared, Subgraph, Walk
from ark_tui.interfaces.mcp import shapes
from ark_tui.interfaces.mcp.tool import READ, Family
from ark_tui.operations import links
from ark_tui.operations.encoding import Json

FAMILY = Family()

MEMBERS = 50  # documents of a community that are listed
AROUND = 200  # documents of a walk or a subgraph that are listed


def _walk(walk: Walk, *, brief: bool) -> Json:
    nodes = [
        {
            **_node(one.document, brief=brief), "depth": one.depth, "via": one.edge.type,
            "relations": list(one.relations), "parent": one.edge.source,
        }
        for one in walk.reached[:AROUND]
    ]  # fmt: skip
    return {"root": shapes.facts(walk.root), "nodes": nodes, "truncated": len(walk.reached) > AROUND}


def _paths(found: Paths) -> Json:
    ways = [[_node(one, brief=True) for one in way] for way in found.paths]
    return {"paths": ways, "count": len(ways), "truncated": found.truncated}


def _common(found: Shared) -> Json:
    return {"common": _nodes(found.documents), "count": len(found.documents)}


def _subgraph(found: Subgraph, *, brief: bool) -> Json:
    nodes = found.nodes[:AROUND]
    kept = {node.id for node in nodes}
    edges = [edge for edge in found.edges if {edge.source, edge.target} <= kept]
    return {
        "root": found.root.id,
        "nodes": [_node(node, brief=brief) for node in nodes],
        "edges": [{"source": edge.source, "target": edge.target, "type": edge.type} for edge in edges],
        "truncated": len(found.nodes) > AROUND,
    }


def _communities(found: LinkCommunities) -> Json:
    groups = [_community(one) for one in found.communities]
    return {"communities": groups, "modularity": found.modularity, "unlinked": found.unlinked}


def _members(found: LinkCommunity) -> Json:
    listed = _nodes(found.documents[:MEMBERS])
    return {**_community(found), "documents": listed, "truncated": found.size > MEMBERS}


def _community(found: Any) -> Json:
    return {"id": found.id, "label": found.label, "size": found.size}


def _ranked(found: Iterable[Ranked]) -> Json:
    return {"documents": [{**shapes.facts(one.document), "score": one.score} for one in found]}


def _node(document: Document, *, brief: bool) -> Json:
    return {"id": document.id, "title": document.title} if brief else shapes.facts(document)


def _nodes(documents: Iterable[Document]) -> list[Json]:
    return [shapes.facts(document) for document in documents]


for name, operation, parameters, told in (
    ("traverse", links.traverse, "ref=from type depth direction brief tier=memory_tier", _walk),
    ("paths", links.paths, "source target depth=maxDepth", _paths),
    ("common", links.common, "a=docA b=docB", _common),
    ("subgraph", links.subgraph, "root depth brief", _subgraph),
    ("communities", links.communities, "resolution limit", _communities),
    ("community", links.community, "id=communityId resolution", _members),
    ("central", links.central, "community limit", _ranked),
    ("bridges", links.bridges, "limit", _ranked),
):
    FAMILY.operation(f"knowledge_{name}", READ, operation, parameters, told)
