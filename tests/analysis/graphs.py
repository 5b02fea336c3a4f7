"""Graphs with known answers, as the measures take them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from numpy.typing import NDArray

KNOWN: dict[str, Any] = {
    "a path": nx.path_graph(9),
    "a star": nx.star_graph(6),
    "a barbell": nx.barbell_graph(6, 3),
    "a grid": nx.convert_node_labels_to_integers(nx.grid_2d_graph(5, 7)),
    "a club": nx.karate_club_graph(),
    "blocks": nx.stochastic_block_model([30, 25, 20], np.full((3, 3), 0.02) + 0.4 * np.eye(3), seed=3),
    "two parts": nx.disjoint_union(nx.cycle_graph(5), nx.path_graph(4)),
    "one node": nx.empty_graph(1),
    "no edges": nx.empty_graph(4),
    "two nodes": nx.path_graph(2),
}  # fmt: skip
CONNECTED = [name for name, graph in KNOWN.items() if len(graph) > 1 and nx.is_connected(graph)]


def matrix(graph: Any, weight: str | None = None) -> Any:
    """The adjacency matrix by ascending node, every edge both ways unless the graph is directed."""
    found = nx.to_scipy_sparse_array(graph, sorted(graph), weight=weight, dtype=float, format="csr")
    return sparse.csr_array(found)


def relabelled(graph: Any, seed: int) -> tuple[Any, NDArray[np.int64]]:
    """The same graph with its nodes in another order: row i is what was row `order[i]`."""
    order = np.random.default_rng(seed).permutation(graph.shape[0])
    return graph[order][:, order].tocsr(), order


def unit(rows: NDArray[np.floating[Any]]) -> NDArray[np.float32]:
    scaled: NDArray[np.float32] = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return scaled


def clustered(
    sizes: list[int], dims: int = 32, spread: float = 0.3, seed: int = 0
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Unit rows around random middles, and the cluster of each."""
    random = np.random.default_rng(seed)
    middles = unit(random.standard_normal((len(sizes), dims)))
    of = np.repeat(np.arange(len(sizes)), sizes)
    noise = random.standard_normal((len(of), dims)) / np.sqrt(dims)
    return unit(middles[of] + spread * noise), of
