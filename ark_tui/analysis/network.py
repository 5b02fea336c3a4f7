"""The graph of a corpus: documents connected by similarity and by links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import networkx as nx
import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from ark_tui.domain.protocols import NEVER, OnProgress, Stop, check, ignore
from ark_tui.domain.work import Progress

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.analysis.neighbours import Neighbours

    Sparse: TypeAlias = sparse.csr_array
    Labels = NDArray[np.int64]

LINK = 1.0  # weight of a link, on the scale of a cosine


@dataclass(frozen=True, slots=True)
class Network:
    """`near`: edges to each document's neighbors, weighted by cosine. `links`: edges with weight 1."""

    near: Sparse
    links: Sparse

    @property
    def size(self) -> int:
        return int(self.near.shape[0])

    def similar(self) -> Sparse:
        """Symmetric similarity: an edge if either document is a neighbor of the other."""
        return symmetric(self.near)

    def joined(self) -> Sparse:
        """Symmetric similarity and links, weights added."""
        return (self.similar() + LINK * symmetric(self.links)).tocsr()

    def walk(self) -> Sparse:
        """Transitions of a random surfer: half by links, if there are any, and half by similarity."""
        return (shares(self.near) + shares(self.links)).tocsr()


def network(
    count: int,
    neighbours: Neighbours,
    at: NDArray[np.int64],
    source: NDArray[np.int64],
    target: NDArray[np.int64],
) -> Network:
    """The graph over `count` documents.

    `at`: the document index of each row of the neighbors. `source` and `target`: the ends of links. Neighbors
    with a cosine of 0 or less are ignored.
    """
    there = (neighbours.row >= 0) & (neighbours.cosine > 0)
    start = np.broadcast_to(at[:, None], neighbours.row.shape)[there]
    end = at[neighbours.row[there]]
    weight = neighbours.cosine[there].astype(np.float64)
    near = sparse.csr_array((weight, (start, end)), shape=(count, count))
    other = source != target
    links = sparse.csr_array(
        (np.ones(int(other.sum())), (source[other], target[other])), shape=(count, count)
    )
    links.sum_duplicates()
    links.data[:] = 1.0
    return Network(near, links)


def symmetric(graph: Sparse) -> Sparse:
    """The larger of the two weights in both directions."""
    return graph.maximum(graph.T).tocsr()


def shares(graph: Sparse) -> Sparse:
    """Each row divided by its sum; rows without weight stay empty."""
    sums = np.asarray(graph.sum(axis=1)).ravel()
    scale = np.divide(1.0, sums, out=np.zeros_like(sums), where=sums > 0)
    return (sparse.diags_array(scale) @ graph).tocsr()


def pattern(graph: Sparse) -> Sparse:
    """The same edges with weight 1, without zero weights and self-loops."""
    found = graph.copy()
    found.setdiag(0)
    found.eliminate_zeros()
    found.data[:] = 1.0
    return found


def parts(graph: Sparse) -> list[NDArray[np.int64]]:
    """The connected components, largest first, each with its nodes ascending."""
    if not graph.shape[0]:
        return []
    count, of = csgraph.connected_components(graph, directed=False)
    order = np.argsort(of, kind="stable")
    found = np.split(order, np.searchsorted(of[order], np.arange(1, count)))
    return sorted(found, key=lambda part: (-len(part), int(part[0])))


DAMPING = 0.85
CLOSE = 1e-12  # change per node and step at which the iteration ends
MOST = 300  # steps; each reduces the error by the damping factor


def pagerank(graph: Sparse, damping: float = DAMPING, stop: Stop = NEVER) -> NDArray[np.float64]:
    """PageRank scores with sum 1, `(n,)`. Nodes without outgoing edges jump to any node."""
    check(stop)
    count = graph.shape[0]
    net = nx.from_scipy_sparse_array(graph, create_using=nx.DiGraph)
    found = nx.pagerank(net, damping, tol=CLOSE / max(count, 1), max_iter=MOST) if count else {}
    return np.array([found[node] for node in range(count)], np.float64)


STAGE = "communities"


@dataclass(frozen=True, slots=True)
class Division:
    """`of`: the community of each node, 0 the largest. Isolated nodes are communities of their own."""

    of: Labels
    modularity: float

    @property
    def count(self) -> int:
        return int(self.of.max()) + 1 if len(self.of) else 0


def communities(
    graph: Sparse, resolution: float = 1.0, stop: Stop = NEVER, progress: OnProgress = ignore
) -> Division:
    """Divide a symmetric graph with positive weights; a larger `resolution` gives smaller communities."""
    of: Labels = np.arange(graph.shape[0], dtype=np.int64)
    if graph.nnz:
        upper = sparse.triu(graph).tocoo()
        weight = np.where(upper.row == upper.col, upper.data / 2, upper.data)  # networkx counts loops twice
        half = sparse.coo_array((weight, (upper.row, upper.col)), shape=graph.shape)
        net = nx.from_scipy_sparse_array(half)
        levels = nx.community.louvain_partitions(net, weight="weight", resolution=resolution, seed=0)
        for level, parts in enumerate(levels):
            check(stop)
            progress(Progress(STAGE, level, None))
            for number, members in enumerate(parts):
                of[list(members)] = number
    of = by_size(of)
    return Division(of, modularity(graph, of, resolution))


def modularity(graph: Sparse, of: Labels, resolution: float = 1.0) -> float:
    """Modularity: the weight inside communities in excess of the expected one (Newman 2004)."""
    degree = np.asarray(graph.sum(axis=1)).ravel()
    total = float(degree.sum())
    if not total:
        return 0.0
    row = np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr))
    inside = float(graph.data[of[row] == of[graph.indices]].sum())
    sums = np.bincount(of, weights=degree)
    return inside / total - resolution * float((sums**2).sum()) / total**2


def by_size(of: Labels) -> Labels:
    """Renumber communities by size, largest first; ties by their first node."""
    _, first, inverse, count = np.unique(of, return_index=True, return_inverse=True, return_counts=True)
    place = np.empty(len(count), np.int64)
    place[np.lexsort((first, -count))] = np.arange(len(count))
    found: Labels = place[inverse]
    return found
