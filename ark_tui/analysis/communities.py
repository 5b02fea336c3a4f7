"""Communities by the method of Louvain (Blondel et al. 2008), the same for the same graph.

Up to 2,000 nodes networkx does it, node after node. A larger graph is made smaller first: half of the nodes
at a time move to the community that they gain most in, and each community becomes a node. At the end the
nodes of the whole graph may move once more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import networkx as nx
import numpy as np
from scipy import sparse

from ark_tui.analysis.coarse import contracted, gathered
from ark_tui.domain.protocols import NEVER, OnProgress, Stop, check, ignore
from ark_tui.domain.work import Progress

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.analysis.network import Sparse

    Labels = NDArray[np.int64]

SMALL = 2_000  # nodes that networkx is given
SWEEPS = 12  # over half of the nodes
SETTLED = 0.002  # share of nodes still moving at which they have settled
AT_LAST = 6  # sweeps over the whole graph at the end
STAGE = "communities"


@dataclass(frozen=True, slots=True)
class Division:
    """`of`: the community of each node, 0 the largest. Nodes without an edge are alone in theirs."""

    of: Labels
    modularity: float

    @property
    def count(self) -> int:
        return int(self.of.max()) + 1 if len(self.of) else 0


def communities(
    graph: Sparse, resolution: float = 1.0, stop: Stop = NEVER, progress: OnProgress = ignore
) -> Division:
    """Divide a symmetric graph with positive weights; the larger `resolution`, the smaller the parts."""
    of: Labels = np.arange(graph.shape[0], dtype=np.int64)
    small = graph
    level = 0
    while small.shape[0] > SMALL:
        progress(Progress(STAGE, level, None))
        moved = _settled(small, gathered(small).of, resolution, SWEEPS, stop)
        if moved.max() + 1 > 0.95 * small.shape[0]:
            break
        of, small, level = moved[of], contracted(small, moved), level + 1
    check(stop)
    of = _louvain(small, resolution)[of]
    if level:
        of = _settled(graph, of, resolution, AT_LAST, stop)
    of = by_size(of)
    return Division(of, modularity(graph, of, resolution))


def modularity(graph: Sparse, of: Labels, resolution: float = 1.0) -> float:
    """How much more weight lies inside the communities than chance would put there (Newman 2004)."""
    degree = np.asarray(graph.sum(axis=1)).ravel()
    total = float(degree.sum())
    if not total:
        return 0.0
    row = np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr))
    inside = float(graph.data[of[row] == of[graph.indices]].sum())
    sums = np.bincount(of, weights=degree)
    return inside / total - resolution * float((sums**2).sum()) / total**2


def by_size(of: Labels) -> Labels:
    """The same division with the largest community first; of two equal ones that with the earlier node."""
    _, first, inverse, count = np.unique(of, return_index=True, return_inverse=True, return_counts=True)
    place = np.empty(len(count), np.int64)
    place[np.lexsort((first, -count))] = np.arange(len(count))
    found: Labels = place[inverse]
    return found


def _louvain(graph: Sparse, resolution: float) -> Labels:
    upper = sparse.triu(graph).tocoo()
    weight = np.where(upper.row == upper.col, upper.data / 2, upper.data)  # a loop counts twice there
    net = nx.Graph()
    net.add_nodes_from(range(graph.shape[0]))
    net.add_weighted_edges_from(
        (int(a), int(b), float(w)) for a, b, w in zip(upper.row, upper.col, weight, strict=True)
    )
    of = np.arange(graph.shape[0], dtype=np.int64)
    if not net.number_of_edges():
        return of
    for number, members in enumerate(
        nx.community.louvain_communities(net, weight="weight", resolution=resolution, seed=0)
    ):
        of[list(members)] = number
    return of


def _settled(graph: Sparse, of: Labels, resolution: float, sweeps: int, stop: Stop) -> Labels:
    """Let nodes move, a random half at a time, until few want to; communities are numbered without gaps."""
    random = np.random.default_rng(0)
    degree = np.asarray(graph.sum(axis=1)).ravel()
    bare = graph.copy()
    bare.setdiag(0)
    bare.eliminate_zeros()
    for _ in range(sweeps):
        check(stop)
        of = np.unique(of, return_inverse=True)[1].astype(np.int64)
        best = _best(bare, degree, of, resolution)
        wants = best != of
        if wants.sum() <= SETTLED * len(of):
            break
        moves = wants & (random.random(len(of)) < 0.5)
        of = np.where(moves, best, of)
    found: Labels = np.unique(of, return_inverse=True)[1].astype(np.int64)
    return found


def _best(bare: Sparse, degree: NDArray[np.float64], of: Labels, resolution: float) -> Labels:
    """For each node the community that it would gain most in, its own if none is better."""
    count = len(of)
    member = sparse.csr_array((np.ones(count), (np.arange(count), of)), shape=(count, int(of.max()) + 1))
    weight = (bare @ member).tocsr()
    row = np.repeat(np.arange(count), np.diff(weight.indptr))
    sums = np.bincount(of, weights=degree)
    own = weight.indices == of[row]
    others = sums[weight.indices] - np.where(own, degree[row], 0.0)
    pull = resolution / degree.sum()
    gain = weight.data - pull * degree[row] * others
    at_home = -pull * degree * (sums[of] - degree)  # a community of which it is no neighbour
    at_home[row[own]] = gain[own]
    better = gain > at_home[row] + 1e-12
    row, to, gain = row[better], weight.indices[better], gain[better]
    order = np.lexsort((to, -gain, row))
    nodes, first = np.unique(row[order], return_index=True)
    found = of.copy()
    found[nodes] = to[order][first]
    return found
