"""Searches look for hidden memories only where there may be some."""

from __future__ import annotations

from pathlib import Path

import pytest

from ark_tui.domain.layers import MEMORY
from ark_tui.domain.principal import Viewer
from ark_tui.domain.query import Filters
from ark_tui.retrieval import Corpus
from ark_tui.store import owners
from tests.corpora import Bench, arrival

ANN, BEN = ("ann", ""), ("ben", "loom")


def remember(bench: Bench, path: str, whose: tuple[str, str]) -> None:
    bench.put(arrival(path, f"the {path} is known", MEMORY, owner=whose[0], project=whose[1]))


def test_whose_memories_there_are_follows_the_changes(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    assert bench.store.whose() == frozenset()
    bench.put(arrival("note.md", "a note of everybody", owner="nobody"))
    for number, (whose, known) in enumerate(((ANN, {ANN}), (BEN, {ANN, BEN}), (ANN, {ANN, BEN}))):
        remember(bench, f"fact-{number}", whose)
        assert bench.store.whose() == known


@pytest.mark.parametrize(
    ("viewer", "there", "hidden"),
    [
        (None, {ANN, BEN}, False),
        (Viewer(("ann",)), {("", ""), ANN}, False),
        (Viewer(("ann",)), {ANN, BEN}, True),
        (Viewer(("ann", "ben")), {ANN, BEN}, False),
        (Viewer(projects=("loom",)), {ANN, BEN}, False),
        (Viewer(projects=("barn",)), {ANN, BEN}, True),
        (Viewer(("ben",), ("barn",)), {BEN}, True),
        (Viewer(("ben",), ("loom",)), {("", "loom"), BEN}, False),
    ],
)
def test_the_store_is_asked_only_where_something_may_not_be_seen(
    tmp_path: Path, viewer: Viewer | None, there: set[tuple[str, str]], hidden: bool
) -> None:
    bench = Bench(tmp_path)
    for whose in sorted(there):
        remember(bench, "-".join(whose), whose)
    corpus: Corpus = bench.corpus()
    with owners.seen_by(viewer):
        assert owners.hides(bench.store.whose()) == hidden
        assert (corpus.seen(Filters()) == Filters()) != hidden
        with bench.store.read() as lease:
            assert bool(owners.hidden(lease, messages=False)) == hidden
