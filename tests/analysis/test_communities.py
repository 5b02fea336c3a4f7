"""Communities: those that were planted, the same every time."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

from ark_tui.analysis.network import communities, modularity
from tests.analysis.graphs import KNOWN, matrix, relabelled


def blocks(sizes: list[int], seed: int = 0) -> tuple[object, np.ndarray]:
    chance = np.full((len(sizes), len(sizes)), 0.004) + np.eye(len(sizes)) * 0.25
    return matrix(nx.stochastic_block_model(sizes, chance, seed=seed)), np.repeat(
        np.arange(len(sizes)), sizes
    )


def same(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two divisions are the same but for the numbers of their parts."""
    return len({*zip(a.tolist(), b.tolist(), strict=True)}) == len(set(a.tolist())) == len(set(b.tolist()))


def test_planted_blocks_are_found() -> None:
    graph, planted = blocks([80, 60, 50, 40])
    found = communities(graph)
    assert same(found.of, planted)
    assert np.bincount(found.of).tolist() == [80, 60, 50, 40]


@pytest.mark.parametrize("name", KNOWN)
def test_modularity_is_that_of_networkx(name: str) -> None:
    graph = KNOWN[name]
    if not graph.number_of_edges():
        assert modularity(matrix(graph), np.zeros(len(graph), np.int64)) == 0.0
        return
    of = np.arange(len(graph)) % 3
    parts = [{n for n in sorted(graph) if of[n] == part} for part in set(of.tolist())]
    ours = modularity(matrix(graph), of, 1.3)
    assert ours == pytest.approx(
        nx.community.modularity(graph, parts, weight=None, resolution=1.3), abs=1e-12
    )


def test_two_runs_agree_and_relabelling_changes_nothing() -> None:
    graph, planted = blocks([40, 30, 20], seed=2)
    first, second = communities(graph), communities(graph)
    assert (first.of == second.of).all()
    other, order = relabelled(graph, 4)
    assert same(communities(other).of, planted[order])


def test_nodes_without_an_edge_are_alone() -> None:
    assert communities(matrix(KNOWN["no edges"])).of.tolist() == [0, 1, 2, 3]
    assert communities(sparse.csr_array((0, 0))).count == 0
