"""PageRank (Brin and Page, 1998), as networkx has it: where a reader who follows edges is found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import networkx as nx
import numpy as np

from ark_tui.domain.protocols import NEVER, Stop, check

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.analysis.network import Sparse

DAMPING = 0.85
CLOSE = 1e-12  # change of a step, for each node, at which it ends
MOST = 300  # steps; the error shrinks by the damping in each


def pagerank(graph: Sparse, damping: float = DAMPING, stop: Stop = NEVER) -> NDArray[np.float64]:
    """Scores that add up to 1, `(n,)`. From a node without a way out the reader jumps anywhere."""
    check(stop)
    count = graph.shape[0]
    net = nx.from_scipy_sparse_array(graph, create_using=nx.DiGraph)
    found = nx.pagerank(net, damping, tol=CLOSE / max(count, 1), max_iter=MOST) if count else {}
    return np.array([found[node] for node in range(count)], np.float64)
