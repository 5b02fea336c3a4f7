"""Searches look for hidden memories only where there may be some."""

from __future__ import annotations

from pathlib import Path

from ark_tui.domain.layers import MEMORY
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
