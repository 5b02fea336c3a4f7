"""Smaller pictures of a graph: nodes gathered around seeds, edges between the gatherings added up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.analysis.network import Sparse


@dataclass(frozen=True, slots=True)
class Level:
    """A graph whose node i stands for the nodes of the finer graph with `of == i`. Its diagonal counts."""

    graph: Sparse
    of: NDArray[np.int64]


def gathered(graph: Sparse) -> Level:
    """Gather nodes around seeds: those that come first, in a fixed random order, among their neighbours.

    The others join the gathering of the neighbour that they are tied to most, ring by ring.
    """
    count = graph.shape[0]
    priority = np.random.default_rng(count).permutation(count).astype(np.float64)
    row = np.repeat(np.arange(count), np.diff(graph.indptr))
    other = row != graph.indices
    start, end, weight = row[other], graph.indices[other].astype(np.int64), graph.data[other]
    around = np.full(count, -1.0)
    np.maximum.at(around, start, priority[end])
    seeds = np.flatnonzero(priority > around)
    of = np.full(count, -1, np.int64)
    of[seeds] = np.arange(len(seeds))
    while (of < 0).any():
        open_ = (of[start] < 0) & (of[end] >= 0)
        at, to, by = start[open_], of[end[open_]], weight[open_]
        order = np.lexsort((to, -by, at))
        at, first = np.unique(at[order], return_index=True)
        of[at] = to[order][first]
    return Level(contracted(graph, of), of)


def contracted(graph: Sparse, of: NDArray[np.int64]) -> Sparse:
    """The graph between groups of nodes; weight inside a group stands on the diagonal, counted both ways."""
    count = int(of.max()) + 1
    belongs = sparse.csr_array((np.ones(len(of)), (of, np.arange(len(of)))), shape=(count, len(of)))
    return (belongs @ graph @ belongs.T).tocsr()
