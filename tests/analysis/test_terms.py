"""The words that tell texts apart."""

from __future__ import annotations

import threading
from collections import Counter

import numpy as np
import pytest
from scipy import sparse

from ark_tui.analysis.gaps import gaps
from ark_tui.analysis.layout import layout
from ark_tui.analysis.terms import counted, distinguishing
from ark_tui.domain.errors import Cancelled
from tests.analysis.graphs import clustered


def test_words_that_can_name_something_are_counted() -> None:
    found = counted("The gap of a Graph, and the graph 42 of it. 検索")
    assert found == Counter({"graph": 2, "gap": 1, "検索": 1})


def test_a_group_is_told_by_what_its_texts_share_and_others_have_not() -> None:
    loaves = [
        counted(text) for text in ("dough and crust of paper", "the dough, the paper", "dough in an oven")
    ]
    boats = [counted(text) for text in ("a sail of paper", "sails and paper", "the sail is set")]
    assert distinguishing([loaves, boats], 1) == [("dough",), ("sail",)]


def test_the_map_is_the_same_every_time_and_keeps_neighbours_together() -> None:
    rows, of = clustered([400, 300], dims=16, seed=3)
    none = sparse.csr_array((700, 700))
    first, second = layout(rows, none), layout(rows, none)
    assert (first == second).all()
    assert np.abs(first).max() == pytest.approx(1.0)
    apart = np.linalg.norm(first[:, None] - first, axis=2)
    np.fill_diagonal(apart, np.inf)
    assert (of[apart.argmin(axis=1)] == of).mean() > 0.98


def test_the_map_stops_when_asked() -> None:
    stop = threading.Event()
    stop.set()
    with pytest.raises(Cancelled):
        layout(clustered([30, 30])[0], sparse.csr_array((60, 60)), stop)


def test_a_gap_is_near_in_meaning_and_hardly_linked() -> None:
    random = np.random.default_rng(0)
    rows, of = clustered([40, 40, 40, 40], dims=24, spread=0.2, seed=6)
    rows[of == 1] = rows[of == 0] + 0.5 * rows[of == 1]
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    linked = np.zeros((160, 160))
    for a, b in ((0, 0), (1, 1), (2, 2), (3, 3), (0, 2), (1, 3), (2, 3)):
        for i, j in random.integers(0, 40, (60, 2)):
            linked[a * 40 + i, b * 40 + j] = linked[b * 40 + j, a * 40 + i] = 1
    found, considered = gaps(rows, of, sparse.csr_array(linked))
    assert considered >= 1
    assert (found[0].a, found[0].b, found[0].links) == (0, 1, 0)
    assert found[0].expected > 10
    assert [of[end] for end in found[0].nearest] == [0, 1]
    assert gaps(rows[:40], of[:40], sparse.csr_array((40, 40))) == ([], 0)
