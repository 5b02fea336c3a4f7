"""Many clients of all kinds on one home: nothing is refused, nobody starves, all that was kept is there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from ark_tui.domain.errors import ArkError
from ark_tui.interfaces.client import local
from ark_tui.operations import corpus, find
from benchmarks.corpus import Author
from benchmarks.stdio import Server
from tests.soak import audit, figures, workers

SECONDS = float(os.environ.get("SOAK_SECONDS", "600"))
SEARCHES, EDITS, PAGES, CALLS = 5000, 500, 1500, 100
"""A day's work: searches, edits, pages of each of three folders, calls of an assistant."""

EIGHT = ("index", "search", "search", "write", "write", "context", "mcp", "http")
PAIRS = ("search", "write")


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
) -> tuple[list[tuple[str, dict[str, Any]]], list[int]]:
    """Let workers of these kinds loose on a new home; whatever they found, the home must be whole.

    Returns what they found by kind, and the megabytes of the home process at three times.
    """
    folder, running = home.parent / "pages", []
    audit.write_pages(folder, pages, seed=1)
    for number, kind in enumerate(kinds):
        more = [folder] if kind == "index" else []
        running.append((kind, workers.start(kind, home, f"{kind}{number}", seconds, *more)))
    try:
        memory = _memory(home, running[0][1], seconds)
        found = [(kind, workers.ended(process, seconds * 3 + 300)) for kind, process in running]
    finally:
        for _, process in running:
            process.kill()
    refused = [one for _, done in found for one in done["refused"]]
    assert not refused, refused[:10]
    acknowledged = [name for _, done in found for name in done["acknowledged"]]
    assert sorted(workers.Worker(home, "reader").names()) == sorted(acknowledged)
    local.stop(home)
    ended = audit.run(home, "index", str(folder))
    assert ended.returncode == 0, ended.stderr
    audit.assert_whole(home, folder)
    return found, memory


def _memory(home: Path, process: subprocess.Popen[str], seconds: float) -> list[int]:
    """The megabytes of the home process after a sixth, a half and nearly all of the time."""
    reader, found = workers.Worker(home, "watcher"), []
    for part in (1 / 6, 1 / 3, 0.45):
        with suppress(subprocess.TimeoutExpired):
            process.wait(seconds * part)
        found.append(reader.megabytes())
    return found


def test_several_clients_at_once_are_never_refused(home: Path) -> None:
    found, _ = campaign(home, EIGHT, seconds=2, pages=20)
    assert all(done["count"] for _, done in found)


@pytest.mark.soak
def test_eight_clients_for_ten_minutes(home: Path) -> None:
    passed = figures.begin(
        "Eight clients of one home: a folder, two workbenches, two writers, contexts, MCP, HTTP"
    )
    found, memory = campaign(home, EIGHT, SECONDS, pages=1000)
    load_average = os.getloadavg()[1]
    shares = {kind: [done["count"] for one, done in found if one == kind] for kind in PAIRS}
    assert all(max(counts) <= 2 * min(counts) for counts in shares.values()), shares
    assert memory[2] < 1.2 * memory[1], memory
    rows = "; ".join(_row(kind, [done for one, done in found if one == kind]) for kind in dict(found))
    acknowledged = sum(len(done["acknowledged"]) for _, done in found)
    passed(
        f"{SECONDS:.0f} s at a load of {load_average:.0f}: 0 of {sum(done['count'] for _, done in found):,} "
        f"calls refused, {acknowledged:,} acknowledged changes all there, once, doctor clean; home process "
        f"{memory[0]}, {memory[1]} and {memory[2]} MB; {rows}"
    )


def _row(kind: str, found: Sequence[dict[str, Any]]) -> str:
    counts = " and ".join(f"{done['count']:,}" for done in found)
    return f"{kind} {counts} times, longest {max(done['longest_s'] for done in found):.1f} s"


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
def test_a_home_process_and_an_assistant_keep_their_size_over_a_day(home: Path) -> None:
    passed = figures.begin(
        "Memory after a day: 3 folders indexed, 5,000 searches, 500 edits, 100 calls over MCP"
    )
    worker, author, held = workers.Worker(home, "day"), Author(2), []
    for part in range(3):
        folder = home.parent / f"part{part}"
        for number in range(PAGES):
            path = folder / f"{number // 100:02}" / author.name(number)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(author.page(number), "utf-8")
        worker.ask(corpus.index, roots=(folder,))
        for number in range(SEARCHES // 3):
            worker.ask(find.search, author.query())
            if number % (SEARCHES // EDITS) == 0:
                worker.change(number // (SEARCHES // EDITS))
        held.append(worker.megabytes())
    assistant = _assistant(home, author)
    chunks = worker.ask(corpus.status).chunks
    assert held[2] <= 1.2 * held[0], held
    assert assistant <= 90
    passed(
        f"home process {held[0]}, {held[1]} and {held[2]} MB after each folder, {chunks:,} chunks; "
        f"MCP server {assistant:.0f} MB"
    )


def _assistant(home: Path, author: Author) -> float:
    """The megabytes of an MCP server after some calls."""
    command = audit.command(home, "mcp")
    with Server(command, audit.surroundings(direct=False), audit.ROOT) as server:
        server.hello()
        for _ in range(CALLS):
            server.ask("tools/call", {"name": "search", "arguments": {"query": author.query()}})
        return server.megabytes


@pytest.mark.soak
def test_index_folders_deleted_under_searchers_bring_sentences_and_no_crash(home: Path) -> None:
    passed = figures.begin("Index folders deleted and rebuilt twelve times under a client that searches")
    folder, author = home.parent / "pages", Author(3)
    audit.write_pages(folder, 300, seed=9)
    worker = workers.Worker(home, "search")
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
