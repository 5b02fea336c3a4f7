"""Indexes following while files are read, in a thread or in a process beside: the same comes of it."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ark_tui.domain.documents import LiveChunk
from ark_tui.domain.errors import Cancelled
from ark_tui.domain.protocols import OnProgress, Stop, ignore
from ark_tui.domain.stages import Stages
from ark_tui.engine import following, indexing
from ark_tui.index.vectors.follower import VectorsFollower
from ark_tui.index.words import analysis
from ark_tui.settings import load
from ark_tui.store import Store, store
from ark_tui.store.lease import Lease
from tests.corpora import Bench, arrival
from tests.engine.conftest import Place
from tests.support import SteadyClock

UNUSED = ("numpy", "tantivy", "lancedb", "tokenizers", "scipy")

PROBE = """
import sys
from pathlib import Path
from ark_tui.engine import Engine
from ark_tui.settings import load
with Engine(load(Path(sys.argv[1]), environ={})) as engine:
    assert engine.index([Path(sys.argv[2])]).unchanged == int(sys.argv[3])
print(*sys.modules)
"""


def fill(place: Place, count: int = 40) -> None:
    for n in range(count):
        place.write(
            f"{n}.md", f"# Page {n}\n\nThe owl numbered {n} sees page{n}_name by night.\n\n[[{n + 1}]]"
        )


@pytest.fixture
def beside(monkeypatch: pytest.MonkeyPatch) -> list[following.Beside]:
    """The processes that are begun, also for a small folder."""
    begun: list[following.Beside] = []

    class Noted(following.Beside):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args)
            begun.append(self)

    monkeypatch.setattr(indexing, "MUCH", 1)
    monkeypatch.setattr(indexing, "Beside", Noted)
    return begun


def test_a_process_beside_follows_as_a_thread_would(place: Place, beside: list[following.Beside]) -> None:
    fill(place)
    report = place.index()
    assert (report.added, report.embedded, report.notices) == (40, 40, ())
    assert len(beside) == 1
    assert place.paths("owl numbered 17")[0] == "17.md"
    assert all(follower.behind == 0 for follower in place.engine.status().followers)
    assert {stage.line for stage in report.stages} == {"files", "words", "vectors"}


def test_a_follower_of_vectors_loads_what_it_needs_before_there_are_texts(place: Place) -> None:
    fill(place)
    place.index()
    probe = """
import sys
from pathlib import Path
from ark_tui.domain.protocols import ignore
from ark_tui.engine.services import Services
from ark_tui.settings import load
from ark_tui.settings.clock import SystemClock
follower = Services(load(Path(sys.argv[1]), environ={}), SystemClock(), ignore).vectors_follower()
follower.prepare()
before = set(sys.modules)
follower.rebuild()
print(*{name.partition(".")[0] for name in set(sys.modules) - before}.intersection(sys.argv[2:]))
print(*before.intersection(sys.argv[2:]))
"""
    command = [sys.executable, "-c", probe, str(place.engine.settings.home.path), *UNUSED]
    late, early = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    assert late == ""
    assert set(early.split()) == {*UNUSED} - {"tantivy", "lancedb"}


def test_what_a_process_that_died_has_left_is_done_here(
    place: Place, beside: list[following.Beside], monkeypatch: pytest.MonkeyPatch
) -> None:
    finish = following.Beside.finish

    def killed(self: following.Beside, stop: Stop, progress: OnProgress) -> following.Followed | None:
        self._process.kill()
        return finish(self, stop, progress)

    monkeypatch.setattr(following.Beside, "finish", killed)
    fill(place)
    report = place.index()
    assert (report.added, len(beside), report.notices) == (40, 1, ())
    assert place.paths("owl numbered 17")[0] == "17.md"


def test_who_gives_up_reading_leaves_no_process_behind(
    place: Place, beside: list[following.Beside], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Asked:
        looks = 0

        def is_set(self) -> bool:
            self.looks += 1
            return self.looks > 20

    fill(place)
    with pytest.raises(Cancelled):
        place.index(stop=Asked())
    assert [process._process.poll() is not None for process in beside] == [True]
    monkeypatch.undo()
    assert place.index().failed == 0
    assert place.paths("owl numbered 17")[0] == "17.md"


def test_where_nothing_has_changed_no_index_is_loaded(place: Place) -> None:
    fill(place)
    place.index()
    place.index()
    home = place.engine.settings.home.path
    said = subprocess.run(
        [sys.executable, "-c", PROBE, str(home), str(place.root), "40"],
        check=True, capture_output=True, text=True,
    ).stdout.split()  # fmt: skip
    assert not {name for name in said if name in (*UNUSED, "ark_tui.retrieval")}


def test_the_stages_of_reading_add_up_to_the_run(place: Place) -> None:
    fill(place)
    report = place.index()
    files = {stage.stage: stage for stage in report.stages if stage.line == "files"}
    assert {"scan", "read", "cut", "store", "indexes"} <= files.keys()
    assert (files["read"].times, files["cut"].times) == (40, 40)
    assert sum(stage.seconds for stage in files.values()) <= report.took_s + 0.01
    assert all(stage.processor_s <= stage.seconds + 0.05 for stage in report.stages)


def test_a_moment_counts_for_the_innermost_stage(monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter(range(100))
    monkeypatch.setattr("ark_tui.domain.stages.time.perf_counter", lambda: float(next(now)))
    monkeypatch.setattr("ark_tui.domain.stages.time.thread_time", lambda: 0.0)
    stages = Stages("line")
    with stages.at("outer"), stages.at("inner"):
        pass
    assert {(one.stage, one.seconds, one.waited_s, one.times) for one in stages.told()} == {
        ("outer", 2.0, 2.0, 1),
        ("inner", 1.0, 1.0, 1),
    }


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


def test_a_growing_store_is_not_written_anew_by_equal_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "LOG_BYTES", 1 << 12)
    monkeypatch.setattr("ark_tui.store.locking.CHECKPOINT_EVERY", 1 << 30)
    folded: list[int] = []
    checkpoint = Store._checkpoint

    def noted(self: Store, connection: Any) -> None:
        folded.append(1)
        checkpoint(self, connection)

    monkeypatch.setattr(Store, "_checkpoint", noted)
    there = Store(load(tmp_path / "home", environ={}).home, SteadyClock())
    sizes, random = [], Random(1)
    for n in range(60):
        with there.write() as lease:
            lease.run("INSERT INTO ark.meta VALUES (?, ?)", f"k{n}", random.randbytes(5 << 11).hex())
        sizes.append(len(folded))
    there.close()
    assert sizes[0] > 0
    assert sizes[-1] < 60 // 2


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
    side, apply = following.InThread(home.followers, threading.Event()), VectorsFollower.apply

    def ending(self: VectorsFollower, batch: Sequence[LiveChunk], stop: Stop) -> None:
        apply(self, batch, stop)
        side._over.set()  # before what was embedded is committed

    monkeypatch.setattr(VectorsFollower, "apply", ending)
    side.poke()
    assert side._thread
    side._thread.join()
    done = side.finish(threading.Event(), ignore)
    assert (done.embedded, done.notices) == (30, [])
    assert [one.state().behind for one in home.followers] == [0, 0]


def test_who_stops_it_while_it_waits_for_more_does_not_wait_for_it(tmp_path: Path) -> None:
    home, gone = Bench(tmp_path), threading.Event()
    side = following.InThread(home.followers, gone, apart=True)
    home.put(arrival("a.md", "an otter of the river"))
    side.poke()
    gone.set()
    with pytest.raises(Cancelled):
        side.finish(gone, ignore)
    home.sync()
    assert [one.state().behind for one in home.followers] == [0, 0]
