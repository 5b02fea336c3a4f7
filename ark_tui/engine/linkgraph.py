"""The link graph: neighborhoods of a document, and measures of the whole graph (M13).

Its nodes are documents. Links to missing documents (stubs) and to periods are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import TYPE_CHECKING

import numpy as np

from ark_tui.domain.documents import TIERS, Document
from ark_tui.domain.errors import NotFound, UsageError
from ark_tui.domain.graph import (
    DIRECTIONS,
    RELATIONS,
    Direction,
    GraphEdge,
    LinkCommunities,
    LinkCommunity,
    Paths,
    Ranked,
    Reached,
    Relation,
    Shared,
    Subgraph,
    Walk,
)
from ark_tui.store import Lease, Store, documents, links, overview

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.analysis.network import Division, Sparse
    from ark_tui.store.links import Edge

DEEPEST = 10  # most links of a walk
WAYS = 20  # most paths listed
WIDEST = 5  # most links of a subgraph
UNKNOWN = "unknown"
ANY = "any"  # matches every tier


@dataclass(frozen=True, slots=True)
class _Whole:
    """The graph of all documents and links at one change number."""

    change: int
    numbers: NDArray[np.int64]
    links: Sparse  # directed adjacency matrix, 1 for a link

    def linked(self) -> NDArray[np.int64]:
        """Row indices of documents with a link from or to another."""
        both = self.links + self.links.T
        return np.flatnonzero(np.diff(both.tocsr().indptr) > 0)


class LinkGraph:
    """The link graph (`engine.graph`). A reference is an id, path or name; raises `Ambiguous`."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept: _Whole | None = None

    # -- neighborhoods -----------------------------------------------------------------------------

    def traverse(
        self,
        ref: str,
        *,
        type: Relation | None = None,  # noqa: A002 - the tools' own word
        depth: int = 3,
        direction: Direction = "outgoing",
        tier: str = ANY,
    ) -> Walk:
        """Traverse links from a document, breadth first, each document once.

        `type`: follow only links of this type. `tier`: list only documents of this tier; others are still
        traversed.
        """
        _among("type", type or RELATIONS[0], RELATIONS)
        _among("direction", direction, DIRECTIONS)
        _among("tier", tier, (ANY, *TIERS))
        _within("depth", depth, DEEPEST)
        with self._store.read() as lease:
            root = documents.resolve(lease, ref)
            steps = list(_walk(lease, root, type, depth, direction))
            known = documents.documents(lease, [root, *(number for number, _, _ in steps)])
        ids = {number: one.id for number, one in known.items()}
        return Walk(
            known[root], direction, depth,
            tuple(
                Reached(known[number], hop, _edge(edges[0], ids), tuple(_relations(edges)))
                for number, hop, edges in steps
                if tier in {ANY, known[number].tier}
            ),
        )  # fmt: skip

    def paths(self, source: str, target: str, *, max_depth: int = 5) -> Paths:
        """Simple paths between two documents along links in either direction, shortest first."""
        import networkx as nx

        _within("depth", max_depth, DEEPEST)
        with self._store.read() as lease:
            ends = documents.resolve(lease, source), documents.resolve(lease, target)
        links_of = nx.Graph(self._around())
        ways = list[tuple[int, ...]]()
        if ends[0] != ends[1] and links_of.has_node(ends[0]) and links_of.has_node(ends[1]):
            with suppress(nx.NetworkXNoPath):
                shortest = map(tuple, nx.shortest_simple_paths(links_of, *ends))
                ways = [*islice(takewhile(lambda way: len(way) <= max_depth + 1, shortest), WAYS + 1)]
        truncated = len(ways) > WAYS
        known = self._documents({*ends, *(number for way in ways for number in way)})
        return Paths(
            known[ends[0]], known[ends[1]], max_depth,
            tuple(
                tuple(known[number] for number in way)
                for way in sorted(ways[:WAYS], key=lambda way: (len(way), way))
                if known.keys() >= set(way)
            ),
            truncated,
        )  # fmt: skip

    def common(self, a: str, b: str) -> Shared:
        """Documents linked with both, in either direction."""
        with self._store.read() as lease:
            first, second = documents.resolve(lease, a), documents.resolve(lease, b)
            found = links.edges(lease, [first, second])
            near: dict[int, set[int]] = {first: set(), second: set()}
            for edge in found:
                for one, other in ((edge.source, edge.target), (edge.target, edge.source)):
                    if one in near:
                        near[one].add(other)
            shared = (near[first] & near[second]) - {first, second}
            known = documents.documents(lease, [first, second, *shared])
        return Shared(known[first], known[second], _by_path(known[number] for number in shared))

    def subgraph(self, ref: str, *, depth: int = 1) -> Subgraph:
        """The documents within `depth` links, and all links between them."""
        _within("depth", depth, WIDEST)
        with self._store.read() as lease:
            root = documents.resolve(lease, ref)
            near = [number for number, _, _ in _walk(lease, root, None, depth, "both")]
            inside = {root, *near}
            edges = [e for e in links.edges(lease, sorted(inside)) if {e.source, e.target} <= inside]
            known = documents.documents(lease, sorted(inside))
        ids = {number: one.id for number, one in known.items()}
        nodes = (known[root], *(known[number] for number in near))
        return Subgraph(known[root], depth, nodes, tuple(_edge(edge, ids) for edge in edges))

    # -- the whole ---------------------------------------------------------------------------------

    def communities(self, *, resolution: float = 1.0, limit: int | None = None) -> LinkCommunities:
        """Louvain communities of the linked documents, largest first."""
        whole = self._whole()
        linked, division = self._division(whole, resolution)
        members = [linked[division.of == number] for number in range(division.count)][:limit]
        known = self._documents(whole.numbers[np.concatenate([*members, np.empty(0, np.int64)])].tolist())
        return LinkCommunities(
            tuple(
                _community(number, [known[n] for n in whole.numbers[places].tolist() if n in known])
                for number, places in enumerate(members, 1)
            ),
            division.modularity, resolution, len(whole.numbers) - len(linked),
        )  # fmt: skip

    def community(self, id: int, *, resolution: float = 1.0) -> LinkCommunity:  # noqa: A002 - the tools' own word
        """A community by its number. Raises `NotFound`."""
        found = self.communities(resolution=resolution).communities
        if not 1 <= id <= len(found):
            raise NotFound(
                f"There is no community {id}.",
                f"They count from 1 to {len(found)}." if found else "No document links to another.",
            )
        return found[id - 1]

    def central(self, *, community: int | None = None, limit: int = 10) -> tuple[Ranked, ...]:
        """Linked documents by PageRank over links, optionally of one community."""
        from ark_tui.analysis.network import pagerank

        whole = self._whole()
        linked = whole.linked()
        score = pagerank(whole.links[linked][:, linked])
        if community is None:
            return self._ranked(whole, linked, score, limit)
        wanted = self.community(community)
        ids = {document.id for document in wanted.documents}
        found = self._ranked(whole, linked, score, len(linked))
        return tuple(one for one in found if one.document.id in ids)[:limit]

    def bridges(self, *, limit: int = 10) -> tuple[Ranked, ...]:
        """Documents by betweenness (0…1) over links in either direction; zeros are left out."""
        from ark_tui.analysis.betweenness import betweenness, pivots_for
        from ark_tui.analysis.network import symmetric

        whole = self._whole()
        both = symmetric(whole.links)
        score = betweenness(both, pivots_for(both.shape[0], both.nnz))
        between = np.flatnonzero(score > 0)
        return self._ranked(whole, between, score[between], limit)

    # -- inside ------------------------------------------------------------------------------------

    def _whole(self) -> _Whole:
        """The whole graph, cached until the corpus changes."""
        from scipy import sparse

        change = self._store.change()
        if self._kept is not None and self._kept.change == change:
            return self._kept

        with self._store.read() as lease:
            numbers, edges = overview.numbers(lease), links.all_edges(lease)
        source, target = np.searchsorted(numbers, edges.source), np.searchsorted(numbers, edges.target)
        there = np.isin(edges.source, numbers) & np.isin(edges.target, numbers)
        graph = sparse.csr_array(
            (np.ones(int(there.sum())), (source[there], target[there])), shape=(len(numbers), len(numbers))
        )
        graph.sum_duplicates()
        graph.data[:] = 1.0
        self._kept = _Whole(change, numbers, graph)
        return self._kept

    def _division(self, whole: _Whole, resolution: float) -> tuple[NDArray[np.int64], Division]:
        from ark_tui.analysis.network import communities, symmetric
        from ark_tui.engine.analysing import check_resolution

        check_resolution(resolution)
        linked = whole.linked()
        return linked, communities(symmetric(whole.links)[linked][:, linked], resolution)

    def _around(self) -> dict[int, list[int]]:
        """The neighbors of each linked document, by number."""
        from ark_tui.analysis.network import symmetric

        whole = self._whole()
        both = symmetric(whole.links)
        ends = np.split(whole.numbers[both.indices], both.indptr[1:-1])
        return {
            int(number): near.tolist() for number, near in zip(whole.numbers, ends, strict=True) if len(near)
        }

    def _documents(self, numbers: Iterable[int]) -> dict[int, Document]:
        with self._store.read() as lease:
            return documents.documents(lease, sorted(numbers))

    def _ranked(
        self, whole: _Whole, places: NDArray[np.int64], score: NDArray[np.float64], limit: int
    ) -> tuple[Ranked, ...]:
        if limit < 1:
            raise UsageError(f"A limit of {limit} makes no sense.", "Ask for at least one document.")
        order = np.argsort(-score, kind="stable")[:limit]
        numbers = whole.numbers[places[order]].tolist()
        known = self._documents(numbers)
        return tuple(
            Ranked(known[number], value)
            for number, value in zip(numbers, score[order].tolist(), strict=True)
            if number in known
        )


def kind(relation: str) -> Relation:
    """The type of a link's relation."""
    return next((one for one in RELATIONS if one == relation), "untyped")


def _relations(edges: Iterable[Edge]) -> Iterable[str]:
    """The distinct relations between the two documents of the first link."""
    first, *_ = edges = list(edges)
    ends = {first.source, first.target}
    return dict.fromkeys(edge.relation for edge in edges if {edge.source, edge.target} == ends)


def _walk(
    lease: Lease, root: int, type_: Relation | None, depth: int, direction: Direction
) -> Iterable[tuple[int, int, list[Edge]]]:
    """Breadth-first search: yield documents with distance and the links by which each was reached."""
    seen, front = {root}, [root]
    for hop in range(1, depth + 1):
        fresh: dict[int, list[Edge]] = {}
        inside = set(front)
        for edge in links.edges(lease, front):
            if type_ is not None and kind(edge.relation) != type_:
                continue
            if direction != "incoming" and edge.source in inside and edge.target not in seen:
                fresh.setdefault(edge.target, []).append(edge)
            if direction != "outgoing" and edge.target in inside and edge.source not in seen:
                fresh.setdefault(edge.source, []).append(edge)
        yield from ((number, hop, edges) for number, edges in fresh.items())
        seen |= fresh.keys()
        front = list(fresh)
        if not front:
            return


def _edge(edge: Edge, ids: dict[int, str]) -> GraphEdge:
    return GraphEdge(ids[edge.source], ids[edge.target], edge.relation, kind(edge.relation))


def _community(number: int, members: Sequence[Document]) -> LinkCommunity:
    tags = Counter(tag for member in members for tag in member.tags)
    types = Counter(member.type for member in members if member.type)
    counted = tags or types
    label = min(counted, key=lambda name: (-counted[name], name)) if counted else UNKNOWN
    return LinkCommunity(number, label, len(members), _by_path(members))


def _by_path(found: Iterable[Document]) -> tuple[Document, ...]:
    return tuple(sorted(found, key=lambda one: (one.collection, one.path, one.item)))


def _among(what: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise UsageError(f"There is no {what} {value}.", f"Known: {', '.join(known)}.")


def _within(what: str, value: int, most: int) -> None:
    if not 1 <= value <= most:
        raise UsageError(f"A {what} of {value} makes no sense.", f"It lies between 1 and {most}.")
