"""The link graph (traversal, paths, communities, central documents) and the analysis of the corpus."""

from __future__ import annotations

from typing import Annotated, Literal

from ark_tui.domain.analysis import WHATS, Analysis, What
from ark_tui.domain.graph import (
    Direction,
    LinkCommunities,
    LinkCommunity,
    Paths,
    Ranked,
    Relation,
    Shared,
    Subgraph,
    Walk,
)
from ark_tui.operations.call import Call
from ark_tui.operations.operation import Effect, Param, operation
from ark_tui.operations.params import Limit, Number, Ref

Resolution = Annotated[
    float,
    Param("Resolution, 0.1 to 5: a larger one makes smaller communities.", example=1.5, least=0.1, most=5.0),
]
Depth = Annotated[int, Param(example=2, least=1, most=10)]
Documents = Annotated[Limit, Param("How many documents at most, 1 to 1,000.")]
Community = Annotated[Number, Param("The number of a community, from 1.", example=1, metavar="ID")]


@operation(
    "traverse", Effect.READS, command="graph traverse",
    example="ark-tui graph traverse adr-003 --type superseded_by --direction both",
)  # fmt: skip
def traverse(
    call: Call,
    ref: Ref,
    type: Annotated[Relation | None, Param("Only along links of this kind.")] = None,
    depth: Annotated[Depth, Param("How many links to go, 1 to 10.")] = 3,
    direction: Annotated[Direction, Param("Along the links, or against them.")] = "outgoing",
    tier: Annotated[
        Literal["doc", "raw", "reflection", "wiki", "any"],
        Param("List only documents of this tier; the walk passes through the others."),
    ] = "any",
) -> Walk:
    """Follow links from a document, nearest first.

    Links of other kinds are `untyped`. Links to missing notes are left out.
    """
    return call.engine.graph.traverse(ref, type=type, depth=depth, direction=direction, tier=tier)


@operation(
    "paths", Effect.READS, command="graph path", example="ark-tui graph path fiedler-vector bm25 --depth 3"
)
def paths(
    call: Call,
    source: Annotated[Ref, Param(metavar="SOURCE")],
    target: Annotated[Ref, Param(metavar="TARGET")],
    depth: Annotated[Depth, Param("The longest way, in links, 1 to 10.")] = 5,
) -> Paths:
    """List the ways from one document to another.

    They follow links in either direction, the shortest first, at most twenty; none visits a document twice.
    """
    return call.engine.graph.paths(source, target, max_depth=depth)


@operation(
    "common", Effect.READS, command="graph common",
    example="ark-tui graph common fiedler-vector graph-laplacian",
)  # fmt: skip
def common(
    call: Call, a: Annotated[Ref, Param(metavar="A")], b: Annotated[Ref, Param(metavar="B")]
) -> Shared:
    """List what two documents are both linked with, in either direction."""
    return call.engine.graph.common(a, b)


@operation(
    "subgraph", Effect.READS, command="graph around", example="ark-tui graph around bm25 --depth 2 --json"
)
def subgraph(
    call: Call,
    root: Annotated[Ref, Param(metavar="ROOT")],
    depth: Annotated[Depth, Param("How many links around it, 1 to 5.", most=5)] = 1,
) -> Subgraph:
    """List the links around a document.

    All documents within so many links of it, in either direction, and every link between two of them.
    """
    return call.engine.graph.subgraph(root, depth=depth)


@operation(
    "communities", Effect.READS, command="graph communities", heavy=True,
    example="ark-tui graph communities --resolution 1.5",
)  # fmt: skip
def communities(
    call: Call,
    resolution: Resolution = 1.0,
    limit: Annotated[Limit, Param("How many communities at most, 1 to 1,000.", example=20)] = 20,
) -> LinkCommunities:
    """List groups of documents that link to each other more than to others (Louvain, deterministic)."""
    return call.engine.graph.communities(resolution=resolution, limit=limit)


@operation(
    "community", Effect.READS, command="graph community", route="GET /communities/{id}", heavy=True,
    example="ark-tui graph community 1",
)  # fmt: skip
def community(
    call: Call, id: Annotated[Community, Param(argument=True)], resolution: Resolution = 1.0
) -> LinkCommunity:
    """List the documents of one of the `communities`, by path."""
    return call.engine.graph.community(id, resolution=resolution)


@operation(
    "central", Effect.READS, command="graph central", listed="documents", heavy=True,
    example="ark-tui graph central -n 5",
)  # fmt: skip
def central(
    call: Call,
    community: Annotated[Community | None, Param("Only those of this community.")] = None,
    limit: Documents = 10,
) -> tuple[Ranked, ...]:
    """List the documents with the most links to them, by PageRank."""
    return call.engine.graph.central(community=community, limit=limit)


@operation(
    "bridges", Effect.READS, command="graph bridges", listed="documents", heavy=True,
    example="ark-tui graph bridges -n 5",
)  # fmt: skip
def bridges(call: Call, limit: Documents = 10) -> tuple[Ranked, ...]:
    """List the documents that connect parts of the corpus, by betweenness."""
    return call.engine.graph.bridges(limit=limit)


@operation(
    "analyze", Effect.READS, route="POST /analyze", long=True,
    example="ark-tui analyze --what novelty,bridges -n 5",
)  # fmt: skip
def analyze(
    call: Call,
    what: Annotated[
        tuple[What, ...],
        Param("Which measures; else all.", example=("novelty", "bridges"), metavar="MEASURE", commas=True),
    ] = (),
    limit: Annotated[Limit, Param("How many documents a list has, 1 to 1,000.")] = 10,
    resolution: Resolution = 1.0,
) -> Analysis:
    """Measure the corpus: what is novel, what connects it, where gaps are.

    It uses the documents' vectors and the links between them. Results are kept until the corpus changes, so a
    second run is fast. A stopped run keeps the measures that it finished. What each measure means, and when
    not to trust it: docs/workbench.md.
    """
    wanted = [name for name in WHATS if not what or name in what]
    return call.engine.analysis.run(
        wanted, limit=limit, resolution=resolution, stop=call.stop, progress=call.progress
    )
