"""PageRank and betweenness are what networkx says, and do not depend on how nodes are numbered."""

from __future__ import annotations

import threading

import networkx as nx
import numpy as np
import pytest

from ark_tui.analysis.betweenness import betweenness
from ark_tui.analysis.network import pagerank
from ark_tui.domain.errors import Cancelled
from tests.analysis.graphs import KNOWN, matrix


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


def test_pivots_find_the_bridge_that_all_nodes_would_find() -> None:
    graph = matrix(nx.barbell_graph(60, 3))  # the bar: 60, 61, 62
    estimated, whole = betweenness(graph, pivots=20), betweenness(graph)
    ends_and_bar = {59, 60, 61, 62, 63}
    assert set(np.argsort(-estimated)[:5].tolist()) == ends_and_bar
    assert estimated[61] == pytest.approx(whole[61], rel=0.2)


def test_both_stop_when_asked() -> None:
    stop = threading.Event()
    stop.set()
    graph = matrix(nx.path_graph(20))
    with pytest.raises(Cancelled):
        betweenness(graph, stop=stop)
    with pytest.raises(Cancelled):
        pagerank(graph, stop=stop)
