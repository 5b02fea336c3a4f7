"""The Fiedler vector: exact and approximated, against closed forms and against networkx."""

from __future__ import annotations

import threading

import networkx as nx
import numpy as np
import pytest

from ark_tui.analysis import fiedler as room
from ark_tui.analysis.fiedler import fiedler
from ark_tui.domain.errors import Cancelled
from tests.analysis.graphs import CONNECTED, KNOWN, matrix


@pytest.mark.parametrize("name", CONNECTED)
def test_the_value_is_that_of_networkx(name: str) -> None:
    graph = KNOWN[name]
    values = np.linalg.eigvalsh(nx.normalized_laplacian_matrix(graph, weight=None).toarray())
    found = fiedler(matrix(graph))
    assert found.value == pytest.approx(values[1], abs=1e-9)
    assert found.exact
    assert found.residual < 1e-12


def test_the_two_halves_of_a_barbell_lie_on_either_side() -> None:
    found = fiedler(matrix(nx.barbell_graph(12, 0))).vector
    assert len(set(np.sign(found[:12]))) == 1
    assert np.sign(found[0]) == -np.sign(found[-1])


def test_a_large_graph_is_approximated_within_its_residual(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = [300, 250, 200]
    chance = np.full((3, 3), 0.002) + np.diag([0.05, 0.06, 0.07])
    graph = nx.stochastic_block_model(sizes, chance, seed=1)
    whole = matrix(graph.subgraph(max(nx.connected_components(graph), key=len)))
    full = fiedler(whole)
    monkeypatch.setattr(room, "FULL", 100)
    fast = fiedler(whole)
    assert not fast.exact
    assert fast.value == pytest.approx(full.value, abs=1e-9)
    assert abs(float(fast.vector @ full.vector)) == pytest.approx(1.0, abs=1e-6)
    assert abs(fast.value - full.value) <= fast.residual + 1e-12


def test_it_stops_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "FULL", 100)
    stop = threading.Event()
    stop.set()
    with pytest.raises(Cancelled):
        fiedler(matrix(nx.path_graph(500)), stop=stop)
