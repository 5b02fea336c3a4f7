"""PageRank and betweenness are what networkx says, and do not depend on how nodes are numbered."""

from __future__ import annotations

import threading

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ark_tui.analysis.betweenness import betweenness, pivots_for
from ark_tui.analysis.network import pagerank
from ark_tui.domain.errors import Cancelled
from tests.analysis.graphs import KNOWN, matrix, relabelled


@pytest.mark.parametrize("name", KNOWN)
def test_pagerank_is_that_of_networkx(name: str) -> None:
    graph = KNOWN[name]
    theirs = nx.pagerank(graph, weight=None, tol=1e-14, max_iter=2000)
    assert pagerank(matrix(graph)) == pytest.approx([theirs[node] for node in sorted(graph)], abs=1e-9)


def test_pagerank_of_directed_weighted_links_is_that_of_networkx() -> None:
    graph = nx.gnp_random_graph(60, 0.04, seed=5, directed=True)  # some nodes lead nowhere
    for number, (a, b) in enumerate(graph.edges):
        graph[a][b]["weight"] = 1.0 + number % 3
    theirs = nx.pagerank(graph, tol=1e-14, max_iter=2000)
    assert pagerank(matrix(graph, "weight")) == pytest.approx([theirs[n] for n in sorted(graph)], abs=1e-9)


@pytest.mark.parametrize("name", KNOWN)
def test_betweenness_is_that_of_networkx(name: str) -> None:
    graph = KNOWN[name]
    theirs = nx.betweenness_centrality(graph)
    assert betweenness(matrix(graph)) == pytest.approx([theirs[node] for node in sorted(graph)], abs=1e-12)


def test_everything_between_the_two_halves_of_a_barbell_runs_through_its_bar() -> None:
    found = betweenness(matrix(nx.barbell_graph(10, 1)))
    assert int(found.argmax()) == 10
    assert found[10] == pytest.approx(2 * 10 * 10 / (20 * 19))


def test_pivots_find_the_bridge_that_all_nodes_would_find() -> None:
    graph = matrix(nx.barbell_graph(60, 3))  # the bar: 60, 61, 62
    estimated, whole = betweenness(graph, pivots=20), betweenness(graph)
    ends_and_bar = {59, 60, 61, 62, 63}
    assert set(np.argsort(-estimated)[:5].tolist()) == ends_and_bar
    assert estimated[61] == pytest.approx(whole[61], rel=0.2)


def test_a_small_graph_has_all_its_nodes_for_pivots() -> None:
    assert pivots_for(500, 9000) == 500
    assert pivots_for(100_000, 2_000_000) == 64


@given(seed=st.integers(0, 10_000))
@settings(max_examples=15)
def test_relabelling_nodes_changes_nothing(seed: int) -> None:
    graph = matrix(nx.gnp_random_graph(40, 0.08, seed=seed))
    other, order = relabelled(graph, seed)
    assert pagerank(other) == pytest.approx(pagerank(graph)[order], abs=1e-12)
    assert betweenness(other) == pytest.approx(betweenness(graph)[order], abs=1e-12)


def test_both_stop_when_asked() -> None:
    stop = threading.Event()
    stop.set()
    graph = matrix(nx.path_graph(20))
    with pytest.raises(Cancelled):
        betweenness(graph, stop=stop)
    with pytest.raises(Cancelled):
        pagerank(graph, stop=stop)
