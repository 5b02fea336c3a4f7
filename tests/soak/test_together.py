"""Several at once on one home: no error, nobody starves, and in the end everything agrees."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import traceback
from pathlib import Path
from random import Random
from typing import Self

import pytest

from ark_tui.domain.errors import ArkError, StoreLocked
from ark_tui.domain.query import Filters, Request
from ark_tui.engine import Engine
from ark_tui.settings import load
from benchmarks.corpus import Author
from tests.soak import audit, figures

pytestmark = pytest.mark.soak

MINUTE = 60.0
REQUESTS = int(os.environ.get("SOAK_REQUESTS", "10000"))


def start(*words: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.soak.driver", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=audit.ROOT,
        env=audit.surroundings(),
    )


def ended(process: subprocess.Popen[str], within: float = 600) -> dict[str, float]:
    said, complained = process.communicate(timeout=within)
    assert process.returncode == 0, complained
    assert not complained, complained
    found: dict[str, float] = json.loads(said)
    return found


def indexed(tmp_path: Path, count: int) -> tuple[Path, Path]:
    folder, home = tmp_path / "pages", tmp_path / "home"
    audit.write_pages(folder, count, seed=9)
    assert audit.run(home, "index", str(folder)).returncode == 0
    return folder, home


class Readers:
    """Threads that search one engine until the block ends. `faults`: what was no sentence for people."""

    def __init__(self, engine: Engine, count: int) -> None:
        self.counts = [0] * count
        self.faults: list[str] = []
        self._engine = engine
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._read, args=(number,)) for number in range(count)]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()

    def _read(self, number: int) -> None:
        """Every other one filters by collection, every fourth also by path."""
        author = Author(number)
        plain, paths = Filters(), ("f1",) if number % 4 == 1 else ()
        filters = Filters(collections=("pages",), paths=paths) if number % 2 else plain
        while not self._over.is_set():
            try:
                self._engine.search(Request(author.query(), filters=filters))
            except ArkError as error:
                if isinstance(error, StoreLocked):
                    self.faults.append(f"{error.what} {error.hint}")
            except Exception as error:  # noqa: BLE001  whatever it is, it is the finding
                self.faults.append(f"{type(error).__name__}: {error} at {_place(error)}")
            self.counts[number] += 1


def _place(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    return " < ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in reversed(frames[-3:]))


def test_one_indexes_and_one_searches_and_writes_for_a_minute(tmp_path: Path) -> None:
    passed = figures.begin("Two processes on one home for a minute, one indexing, one searching and writing")
    folder, home = indexed(tmp_path, 1000)
    indexing, searching = start("index", home, folder, MINUTE), start("search", home, MINUTE)
    index, search = ended(indexing), ended(searching)
    assert index["touched"] > 100
    assert search["hits"] > 100
    assert search["writes"] > 5
    assert audit.run(home, "index", str(folder)).returncode == 0
    audit.assert_whole(home, folder)
    passed(
        f"no error; {index['count']:.0f} runs that took up {index['touched']:,.0f} changed files, "
        f"{search['count'] - search['writes']:,.0f} searches (longest {search['worst_search_ms']:.0f} ms), "
        f"{search['writes']:.0f} writes (longest {search['worst_write_ms']:.0f} ms)",
    )


def test_two_indexers_of_the_same_folder_at_once_store_it_once(tmp_path: Path) -> None:
    passed = figures.begin("Two processes indexing the same 1,500 new files at once")
    folder, home = tmp_path / "pages", tmp_path / "home"
    audit.write_pages(folder, 1500, seed=2)
    running = [
        subprocess.Popen(
            audit.command(home, "index", str(folder), "--json"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=audit.surroundings(),
        )
        for _ in range(2)
    ]
    reports = []
    for process in running:
        said, complained = process.communicate(timeout=300)
        assert process.returncode == 0, complained
        reports.append(json.loads(said))
    assert sorted(report["added"] for report in reports) == [0, 1500]
    assert sum(report["embedded"] for report in reports) <= 1500
    audit.assert_whole(home, folder)
    passed("every file read, stored and embedded once, by either of them")


def test_an_engine_that_is_held_open_keeps_its_size(tmp_path: Path) -> None:
    passed = figures.begin(f"{REQUESTS:,} searches and writes with one engine")
    _, home = indexed(tmp_path, 1000)
    early, late = ended(start("requests", home, REQUESTS), within=REQUESTS).values()
    assert late < 1.1 * early, (early, late)
    passed(f"{early:.0f} MB of memory after {REQUESTS // 10:,}, {late:.0f} MB after all of them")


def test_eight_readers_during_writes(tmp_path: Path) -> None:
    """Threads of one process, with and without filters, while another process edits and indexes."""
    passed = figures.begin(
        "Eight readers of one process for half a minute, while another process edits and indexes"
    )
    folder, home = indexed(tmp_path, 1000)
    seconds = 30.0
    with Engine(load(home, environ={})) as engine:
        engine.warm()
        indexing = start("index", home, folder, seconds)
        with Readers(engine, 8) as readers:
            index = ended(indexing)
    counts = readers.counts
    assert not readers.faults, sorted(set(readers.faults))
    assert min(counts) > sum(counts) / 8 / 2, counts
    passed(
        f"no error; {sum(counts):,} searches, the slowest reader had {min(counts) / sum(counts):.1%} of them "
        f"(an eighth is 12.5 %); {index['touched']:,.0f} changed files were taken up",
    )


def test_index_folders_deleted_under_searchers_bring_sentences_and_no_crash(tmp_path: Path) -> None:
    passed = figures.begin("Index folders deleted and rebuilt twelve times under four searching threads")
    folder, home = indexed(tmp_path, 300)
    with Engine(load(home, environ={})) as engine:
        engine.warm()
        with Readers(engine, 4) as readers:
            for turn in range(12):
                shutil.rmtree(home / ("words" if turn % 2 else "vectors"), ignore_errors=True)
                done = audit.run(home, "doctor", "--repair")
                assert done.returncode == 0, done.stdout + done.stderr
    assert not readers.faults, sorted(set(readers.faults))
    audit.assert_whole(home, folder)
    passed("no crash")


@pytest.mark.parametrize("steps", [1, 2, 3, 4])
def test_a_kill_between_two_steps_of_a_restore_leaves_the_old_store_or_the_new_one(
    tmp_path: Path, steps: int
) -> None:
    passed = figures.begin(f"Killed after step {steps} of a restore")
    folder, home = indexed(tmp_path, 300)
    then = audit.stored(home)
    backup = tmp_path / "copy.zip"
    assert audit.run(home, "backup", str(backup)).returncode == 0
    audit.disturb(folder, Random(3), share=0.3)
    assert audit.run(home, "index", str(folder)).returncode == 0
    now = audit.stored(home)
    process = start("restore", home, backup, steps)
    process.communicate()
    assert audit.stored(home) in (then, now)
    audit.write_pages(folder / "more", 600, seed=8)
    assert audit.run(home, "index", str(folder)).returncode == 0
    audit.assert_whole(home, folder)
    passed("the old store or the restored one, and the indexes follow")
