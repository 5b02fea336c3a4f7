"""Many clients of all kinds on one home: nothing is refused, nobody starves, all that was kept is there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from ark_tui.domain.errors import ArkError
from ark_tui.engine import Engine
from ark_tui.interfaces.client import local
from ark_tui.operations import corpus, find, history, scratch, tasks
from ark_tui.settings import load
from benchmarks.corpus import Author
from tests.soak import audit, figures, workers

SECONDS = float(os.environ.get("SOAK_SECONDS", "600"))
REQUESTS = int(os.environ.get("SOAK_REQUESTS", "10000"))
EIGHT = ("index", "index", "search", "search", "write", "write", "mcp", "http")
PAIRS = ("index", "search", "write")


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A home, whose process ends with the test."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "config.toml").touch()  # a home: whoever only reads does not begin one
    yield home
    local.stop(home)


def campaign(
    home: Path, kinds: Sequence[str], seconds: float, pages: int
) -> list[tuple[str, dict[str, Any]]]:
    """Let workers of these kinds loose on a new home; whatever they found, the home must be whole."""
    folders, running = [], []
    for number, kind in enumerate(kinds):
        name, more = f"{kind}{number}", []
        if kind == "index":
            more = [home.parent / name]
            folders += more
            audit.write_pages(home.parent / name / name, pages, seed=number)
        running.append((kind, workers.start(kind, home, name, seconds, *more)))
    try:
        found = [(kind, workers.ended(process, seconds * 3 + 300)) for kind, process in running]
    finally:
        for _, process in running:
            process.kill()
    refused = [one for _, done in found for one in done["refused"]]
    assert not refused, refused[:10]
    local.stop(home)
    assert_kept(home, [name for _, done in found for name in done["kept"]])
    for folder in folders:
        ended = audit.run(home, "index", str(folder))
        assert ended.returncode == 0, ended.stderr
    audit.assert_whole(home, *folders)
    return found


def assert_kept(home: Path, names: Sequence[str]) -> None:
    """What was acknowledged is there, once."""
    with Engine(load(home, environ={})) as engine:
        memory, scope = engine.memory, engine.memory.scope()
        there = [task.text for task in memory.tasks.list(scope, all=True)]
        there += [value.key for value in memory.scratch.list(scope)]
        total = memory.conversations.messages(scope, limit=1).total if names else 0
        for start in range(0, total, 1000):
            page = memory.conversations.messages(scope, limit=1000, offset=start)
            there += [message.content for message in page.messages]
        memory.conversations.search(scope, "write")  # lets their index follow
    assert sorted(names) == sorted(there)


def test_several_clients_at_once_are_never_refused(home: Path) -> None:
    found = campaign(home, ["index", "index", "search", "write"], seconds=2, pages=20)
    assert all(done["count"] for _, done in found)


@pytest.mark.soak
def test_eight_clients_for_ten_minutes(home: Path) -> None:
    passed = figures.begin("Eight clients of one home, and reports beside them")
    found = campaign(home, (*EIGHT, "export"), SECONDS, pages=500)
    load_average = os.getloadavg()[1]
    shares = {kind: [done["count"] for one, done in found if one == kind] for kind in PAIRS}
    assert all(max(counts) <= 2 * min(counts) for counts in shares.values()), shares
    rows = "; ".join(_row(kind, [done for one, done in found if one == kind]) for kind in dict(found))
    kept = sum(len(done["kept"]) for _, done in found)
    passed(
        f"{SECONDS:.0f} s at a load of {load_average:.0f}: 0 of {sum(done['count'] for _, done in found):,} "
        f"calls refused, {kept:,} acknowledged writes all there, doctor clean; {rows}"
    )


def _row(kind: str, found: Sequence[dict[str, Any]]) -> str:
    counts = " and ".join(f"{done['count']:,}" for done in found)
    return f"{kind} {counts} times, longest {max(done['worst_s'] for done in found):.1f} s"


@pytest.mark.soak
def test_two_indexers_of_the_same_folder_at_once_store_it_once(home: Path) -> None:
    passed = figures.begin("Two commands indexing the same 1,500 new files at once")
    folder = home.parent / "pages"
    audit.write_pages(folder, 1500, seed=2)
    running = [
        subprocess.Popen(
            audit.command(home, "index", str(folder), "--json"),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=audit.surroundings(direct=False),
        )
        for _ in range(2)
    ]  # fmt: skip
    reports = []
    for process in running:
        said, complained = process.communicate(timeout=300)
        assert process.returncode == 0, complained
        reports.append(json.loads(said))
    assert sorted(report["added"] for report in reports) == [0, 1500]
    assert sum(report["embedded"] for report in reports) <= 1500
    local.stop(home)
    audit.assert_whole(home, folder)
    passed("every file read, stored and embedded once, by either of them")


@pytest.mark.soak
def test_a_home_process_keeps_its_size(home: Path) -> None:
    """A day's work: a thousand files are indexed, then everything is asked and written again and again."""
    passed = figures.begin(f"{REQUESTS:,} searches and writes by one home process")
    folder, author, held = home.parent / "pages", Author(2), {}
    audit.write_pages(folder, 1000, seed=9)
    worker = workers.Worker(home, "day", 0)
    worker.ask(corpus.index, roots=(folder,))
    for number in range(1, REQUESTS + 1):
        if number % 200 == 0:
            worker.ask(corpus.ingest, f"Thought {number}: {author.paragraph()}")
        elif number % 20 == 0:
            worker.ask(tasks.add, f"task {number}")
        elif number % 20 == 1:
            worker.ask(scratch.set_, f"key {number % 50}", f"value {number}")
        elif number % 20 == 2:
            worker.ask(history.add, "user", f"said {number}: {author.title()}")
        else:
            worker.ask(find.search, author.query())
        if number in (REQUESTS // 10, REQUESTS):
            held[number] = worker.ask("process.status")["memory"] >> 20
    early, late = held.values()
    assert late < 1.1 * early, held
    passed(f"{early} MB of memory after {REQUESTS // 10:,}, {late} MB after all of them")


@pytest.mark.soak
def test_index_folders_deleted_under_searchers_bring_sentences_and_no_crash(home: Path) -> None:
    passed = figures.begin("Index folders deleted and rebuilt twelve times under a client that searches")
    folder, author = home.parent / "pages", Author(3)
    audit.write_pages(folder, 300, seed=9)
    worker = workers.Worker(home, "search", 0)
    worker.ask(corpus.index, roots=(folder,))
    process, said = worker.ask("process.status")["process"], 0
    for turn in range(12):
        shutil.rmtree(home / ("words" if turn % 2 else "vectors"), ignore_errors=True)
        for _ in range(5):
            try:
                worker.ask(find.search, author.query())
            except ArkError:
                said += 1
        worker.command("doctor", "--repair")
    assert worker.ask("process.status")["process"] == process
    local.stop(home)
    audit.assert_whole(home, folder)
    passed(f"no crash; {said} of 60 searches answered with a sentence, the others with hits")
