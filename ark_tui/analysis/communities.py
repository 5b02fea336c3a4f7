"""Communities by the method of Louvain (Blondel et al. 2008), by networkx; the same for the same graph.

20,000 documents with 200,000 edges took 43 s on two busy cores.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import networkx as nx
import numpy as np
from scipy import sparse

from ark_tui.domain.protocols import NEVER, OnProgress, Stop, check, ignore
from ark_tui.domain.work import Progress

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.analysis.network import Sparse

    Labels = NDArray[np.int64]

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
    if graph.nnz:
        upper = sparse.triu(graph).tocoo()
        weight = np.where(upper.row == upper.col, upper.data / 2, upper.data)  # a loop counts twice there
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
