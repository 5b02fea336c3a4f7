"""Betweenness: the share of shortest paths that pass through a node (Freeman 1977; Brandes 2001).

Brandes' two passes, breadth first and back, run for many source nodes at once: each level is a product of the
sparse graph with a dense block. The result is exact with all nodes as sources; larger graphs use a random
sample of them, the pivots (Brandes and Pich 2007).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ark_tui.analysis.blocks import each
from ark_tui.analysis.network import pattern
from ark_tui.domain.protocols import NEVER, OnProgress, Stop, check, ignore
from ark_tui.domain.work import Progress

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.analysis.network import Sparse

CELLS = 1 << 20  # numbers in a block: nodes × sources; larger blocks exceed the CPU cache
WORK = 70_000_000  # limit of edges × pivots
FEWEST = 64  # pivots
FEW = 0.3  # share of rows up to which only these rows are multiplied
STAGE = "bridges"


def pivots_for(nodes: int, edges: int) -> int:
    """The number of pivots that the work limit permits, at most all nodes."""
    return min(nodes, max(FEWEST, WORK // max(edges, 1)))


def betweenness(
    graph: Sparse, pivots: int | None = None, stop: Stop = NEVER, progress: OnProgress = ignore
) -> NDArray[np.float64]:
    """Betweenness of each node of an undirected, unweighted graph, 0…1. `pivots`: None for all nodes."""
    count = graph.shape[0]
    total = np.zeros(count)
    if count < 3:
        return total
    edges = pattern(graph)
    start = np.arange(count)
    if pivots is not None and pivots < count:
        start = np.sort(np.random.default_rng(0).choice(count, pivots, replace=False))
    width = max(8, min(CELLS // count, 64))
    blocks = [start[at : at + width] for at in range(0, len(start), width)]
    for done, found in enumerate(each(lambda b: _from(edges, b, stop), blocks, stop), 1):
        total += found
        progress(Progress(STAGE, min(done * width, len(start)), len(start)))
    total *= count / len(start) / ((count - 1) * (count - 2))
    return total


def _from(edges: Sparse, start: NDArray[np.int64], stop: Stop) -> NDArray[np.float64]:
    """The sum of the dependencies of some source nodes on each node."""
    shape = (edges.shape[0], len(start))
    column = np.arange(len(start))
    ways = np.zeros(shape)  # the number of shortest paths from the source
    level = np.full(shape, -1, np.int32)
    ways[start, column] = 1.0
    level[start, column] = 0
    front = ways.copy()
    depth = 0
    while True:
        check(stop)
        front = _product(edges, front, np.asarray((level < 0).any(axis=1)))
        front[level >= 0] = 0.0
        fresh = front > 0
        if not fresh.any():
            break
        depth += 1
        level[fresh] = depth
        ways += front
    given = np.zeros(shape)
    inverse = np.divide(1.0, ways, out=np.zeros(shape), where=ways > 0)
    for at in range(depth, 1, -1):  # the source itself gets no dependency
        check(stop)
        share = np.where(level == at, (1.0 + given) * inverse, 0.0)
        before = level == at - 1
        back = _product(edges, share, np.asarray(before.any(axis=1)))
        given += np.where(before, ways * back, 0.0)
    return np.asarray(given.sum(axis=1))


def _product(edges: Sparse, block: NDArray[np.float64], wanted: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The product of a symmetric graph with a block, correct at least in the wanted rows.

    Uses only the nonzero rows of the block, or only the wanted rows, if these are few.
    """
    few = len(wanted) * FEW
    given = block.any(axis=1)
    if given.sum() < few:
        return np.asarray(edges[given].T @ block[given])
    if wanted.sum() < few:
        found = np.zeros_like(block)
        found[wanted] = edges[wanted] @ block
        return found
    return np.asarray(edges @ block)
