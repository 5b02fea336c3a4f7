"""Whose memories there are is told beside the store, so that whoever sees all of them need not open it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ark_tui.domain.layers import MEMORY
from ark_tui.domain.principal import Viewer
from ark_tui.domain.query import Filters, Request
from ark_tui.engine import Engine
from ark_tui.retrieval import Corpus
from ark_tui.settings import Home, load
from ark_tui.store import Store, owners
from ark_tui.store.published import OWNERS
from tests.corpora import Bench, arrival
from tests.support import SteadyClock

ANN, BEN = ("ann", ""), ("ben", "loom")


def remember(bench: Bench, path: str, whose: tuple[str, str]) -> None:
    bench.put(arrival(path, f"the {path} is known", MEMORY, owner=whose[0], project=whose[1]))


def opened(bench: Bench) -> Store:
    """As another process opens it."""
    return Store(Home(bench.home.path), SteadyClock())


def test_whose_memories_there_are_is_known_without_the_store(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    assert bench.store.whose() == frozenset()
    bench.put(arrival("note.md", "a note of everybody", owner="nobody"))
    for number, (whose, known) in enumerate(((ANN, {ANN}), (BEN, {ANN, BEN}), (ANN, {ANN, BEN}))):
        remember(bench, f"fact-{number}", whose)
        other = opened(bench)
        assert other.whose() == bench.store.whose() == known
        assert not other.opened


def test_a_program_that_does_not_tell_it_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(tmp_path)
    remember(bench, "first", ANN)
    reader = opened(bench)
    assert reader.whose() == {ANN}
    with monkeypatch.context() as older:
        older.setattr(Store, "_whose", lambda *_: {})
        remember(bench, "second", BEN)
    remember(bench, "third", ANN)
    assert reader.whose() == opened(bench).whose() == {ANN, BEN}
    told = Home(tmp_path).locks / OWNERS
    told.unlink()
    assert reader.whose() == {ANN, BEN}
    assert told.exists()


def test_what_an_index_leaves_is_searched_without_the_store(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("The otter naps.", "utf-8")
    with Engine(load(tmp_path / "home", environ={})) as engine:
        engine.index([tmp_path / "notes"])
    with Engine(load(tmp_path / "home", environ={})) as engine, engine.seen_by(Viewer(("ann",))):
        assert engine.search(Request("otter", expand=False, unlogged=True)).hits
        assert not engine._parts.store.opened


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
