"""The nearest rows, exactly and within cells."""

from __future__ import annotations

import numpy as np
import pytest

from ark_tui.analysis import neighbours as room
from ark_tui.analysis.blocks import blocks, means
from ark_tui.analysis.neighbours import nearest, neighbours_wanted
from ark_tui.analysis.network import network, parts
from tests.analysis.graphs import clustered, unit


def by_hand(rows: np.ndarray, k: int) -> np.ndarray:
    cosine = rows @ rows.T
    np.fill_diagonal(cosine, -2)
    return np.argsort(-cosine, axis=1)[:, :k]


def test_they_are_those_of_a_full_comparison() -> None:
    rows, _ = clustered([40, 30, 20], seed=1)
    found = nearest(rows, 7)
    assert found.exact
    assert (found.row == by_hand(rows, 7)).all()
    assert found.cosine[0, 0] == pytest.approx(float(rows[0] @ rows[found.row[0, 0]]), abs=1e-6)


def test_within_cells_nearly_all_are_found_and_the_recall_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "EXACT", 100)
    rows, _ = clustered([200] * 8, seed=2)
    found = nearest(rows, 10)
    true = by_hand(rows, 10)
    recall = np.mean([len({*a} & {*b}) / 10 for a, b in zip(found.row.tolist(), true.tolist(), strict=True)])
    assert not found.exact
    assert recall > 0.9
    assert found.recall == pytest.approx(recall, abs=0.03)


@pytest.mark.parametrize(("rows", "k"), [(0, 0), (1, 0), (2, 1), (4, 2), (50, 8), (100, 10), (10_000, 10)])
def test_a_small_corpus_gives_each_document_few_neighbours(rows: int, k: int) -> None:
    assert neighbours_wanted(rows) == k
    assert nearest(np.ones((min(rows, 60), 1), np.float32), min(k, 8)).k == min(k, 8)


def test_a_document_is_the_mean_of_its_chunks() -> None:
    random = np.random.default_rng(3)
    vectors = unit(random.standard_normal((8, 4)))
    rows, document = np.array([7, 4, 0, 2, 1]), np.array([0, 0, 2, 2, 2])
    found = means(blocks(vectors.__getitem__, rows, 4), document, 4)
    first = vectors[[7, 4]].sum(axis=0)
    assert found[0] == pytest.approx(first / np.linalg.norm(first), abs=1e-6)
    assert np.linalg.norm(found, axis=1) == pytest.approx([1, 0, 1, 0], abs=1e-6)


def test_the_graph_joins_by_nearness_and_by_links() -> None:
    rows = unit(np.array([[1, 0.1], [1, 0.2], [-1, 0.1], [-1, 0.2]]))
    found = network(
        6, nearest(rows, 1), np.array([0, 1, 3, 4]), np.array([0, 0, 5, 5]), np.array([2, 2, 5, 4])
    )
    joined = found.joined()
    assert (
        joined.nnz == 2 * 4
    )  # two near pairs and two links; a link to itself is none, twice the same is one
    assert abs(joined - joined.T).nnz == 0
    assert [part.tolist() for part in parts(joined)] == [[0, 1, 2], [3, 4, 5]]
    assert found.walk()[0].sum() == pytest.approx(2.0)  # half to what is near, half along the link
