"""The indexes follow the store: small changes in a thread, many while files are read."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from itertools import count
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ark_tui.domain.documents import LiveChunk
from ark_tui.domain.errors import StoreError
from ark_tui.domain.protocols import Stop, ignore
from ark_tui.engine import following
from ark_tui.index.vectors.follower import VectorsFollower
from ark_tui.index.words import analysis
from ark_tui.index.words.follower import WordsFollower
from ark_tui.store.lease import Lease
from tests.corpora import Bench, arrival
from tests.engine.conftest import Place


def fill(place: Place, count: int = 40) -> None:
    for n in range(count):
        place.write(
            f"{n}.md", f"# Page {n}\n\nThe owl numbered {n} sees page{n}_name by night.\n\n[[{n + 1}]]"
        )


def test_a_search_waits_for_what_was_written_before_it_and_for_nothing_later() -> None:
    """Others write without pause, so that the indexes always have something to do."""
    latest, over = count(1), threading.Event()

    class Follower:
        def sync(self, **_: float) -> None:
            if not over.is_set():
                feed.tell()

    feed = following.ChangeFeed(lambda: [cast("Any", Follower())], lambda: next(latest), nullcontext)
    feed.tell()
    with ThreadPoolExecutor(1) as thread:
        try:
            thread.submit(feed.reached, over).result(30)
        finally:
            over.set()
    feed.close()


def test_changes_in_a_row_are_one_round_unless_a_search_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following, "SETTLE", 60.0)
    latest, rounds = count(1), []

    class Follower:
        def sync(self, **_: float) -> None:
            rounds.append(1)

    feed = following.ChangeFeed(lambda: [cast("Any", Follower())], lambda: next(latest), nullcontext)
    for _ in range(5):
        feed.tell()
    assert not rounds
    feed.reached(threading.Event())
    assert len(rounds) == 1
    feed.tell()
    feed.close()
    assert len(rounds) == 2


def test_new_documents_are_not_taken_out_first(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    run = Lease.run

    def noted(self: Lease, sql: str, *values: Any) -> None:
        said.append(sql)
        run(self, sql, *values)

    monkeypatch.setattr(Lease, "run", noted)
    fill(place)
    place.index()
    assert any("INSERT INTO ark.documents" in sql for sql in said)
    tables = ("documents", "chunks", "tags", "links", "names")
    taken_out = tuple(f"DELETE FROM ark.{name} " for name in tables)
    assert not [sql for sql in said if sql.startswith(taken_out)]


@given(st.lists(st.text("abAB9_$.:->#+é٣ ,", max_size=12), max_size=5))
def test_a_word_without_a_sign_holds_no_identifier(words: Iterable[str]) -> None:
    for word in " ".join(words).split():
        assert analysis._SIGN.search(word) or not analysis._names_in(word)


def test_what_the_indexes_are_at_when_all_is_read_is_not_done_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Bench(tmp_path)
    home.put(*(arrival(f"{n}.md", f"otter {n} of the river") for n in range(30)))
    monkeypatch.setattr(VectorsFollower, "batch", 10)
    side, apply = following.WhileReading(home.followers, threading.Event()), VectorsFollower.apply

    def ending(self: VectorsFollower, batch: Sequence[LiveChunk], stop: Stop) -> None:
        apply(self, batch, stop)
        side._over.set()  # before what was embedded is committed

    monkeypatch.setattr(VectorsFollower, "apply", ending)
    side.poke()
    assert side._thread
    side._thread.join()
    side.finish(threading.Event(), ignore)
    assert (following.count(side.followers, "embedded"), side.notices) == (30, [])
    assert [one.state().behind for one in home.followers] == [0, 0]


def test_a_text_is_acknowledged_before_it_is_indexed_and_the_next_search_waits_for_it(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, apply = threading.Event(), WordsFollower.apply

    def slow(self: WordsFollower, batch: Sequence[LiveChunk], stop: Stop) -> None:
        assert go_on.wait(60)
        apply(self, batch, stop)

    monkeypatch.setattr(WordsFollower, "apply", slow)
    for n in range(3):
        place.engine.ingest_text(f"an otter of the river {n}")
    assert place.engine.status().documents == 3
    found: list[list[str]] = []
    searching = threading.Thread(target=lambda: found.append(place.paths("otter river", below=True)))
    searching.start()
    go_on.set()
    searching.join()
    assert len(found[0]) == 3


def test_an_index_that_cannot_follow_is_a_notice_and_no_search_waits_for_it(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise StoreError("The disk is full.")

    monkeypatch.setattr(WordsFollower, "apply", refused)
    place.engine.ingest_text("an otter of the river")
    place.paths("otter")
    assert any("The disk is full." in notice for notice in place.engine.notices())
    monkeypatch.undo()
    place.engine.ingest_text("an owl of the night")
    assert len(place.paths("otter OR owl", below=True)) == 2


def test_what_was_told_before_the_end_is_indexed_at_the_end(place: Place) -> None:
    place.engine.ingest_text("an otter of the river")
    place.engine.close()
    assert [one.behind for one in place.engine.status().followers] == [0, 0, 0]
