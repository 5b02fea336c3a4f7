"""`kill -9`, Ctrl-C and a great many files: the same command again goes on, nothing twice, nothing lost."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count, cycle
from pathlib import Path
from random import Random

import pytest

from ark_tui.interfaces.client import local
from ark_tui.operations import find
from tests.home.conftest import process_of, processes
from tests.soak import audit, figures
from tests.soak.workers import Worker
from tests.support import until

pytestmark = pytest.mark.soak

KILLS = int(os.environ.get("SOAK_KILLS", "50"))
SIZES = (300, 600, 1200, 2500, 5000)  # files; as many kills each
VICTIMS = ("home process", "client", "workers")


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A home, whose process ends with the test."""
    yield tmp_path / "home"
    local.stop(tmp_path / "home")


def indexing(home: Path, folder: Path, *options: str) -> subprocess.Popen[str]:
    """`ark-tui index`, which starts a home process where there is none."""
    return subprocess.Popen(
        audit.command(home, "index", str(folder), *options),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=audit.surroundings(direct=False),
    )  # fmt: skip


def killed(home: Path, folder: Path, victim: str, delay: float) -> bool:
    """Index a folder and kill something a while after it has begun; whether it was still there.

    A client whose home process or whose workers were killed comes to its end all the same.
    """
    process = indexing(home, folder)
    begun = "workers" if victim == "workers" else "home process"
    until(lambda: process.poll() is not None or _processes(home, begun), 60)
    hit = False
    try:
        said = process.communicate(timeout=delay)[1]
    except subprocess.TimeoutExpired:
        for one in [process.pid] if victim == "client" else _processes(home, victim):
            os.kill(one, signal.SIGKILL)
            hit = True
        said = process.communicate(timeout=300)[1]
    assert process.returncode == 0 or (hit and victim == "client"), said
    while processes(home):  # also one that a killed client has just started
        local.stop(home)
    return hit


def _processes(home: Path, victim: str) -> list[int]:
    try:
        owner = process_of(home)
        workers = Path(f"/proc/{owner}/task/{owner}/children").read_text().split()
    except (OSError, ValueError):
        return []  # it is just being started
    return [owner] if victim == "home process" else [*map(int, workers)]


def test_kills_in_a_row_lose_nothing_and_store_nothing_twice(tmp_path: Path) -> None:
    passed = figures.begin(
        "`kill -9` of home process, client or workers at random moments of indexing 300 to 5,000 files"
    )
    random, victims = Random(2026), cycle(VICTIMS)
    hits, kept, chunks = Counter[str](), 0, 0
    for size in SIZES:
        folder, home = tmp_path / f"pages-{size}", tmp_path / f"home-{size}"
        audit.write_pages(folder, size, seed=size)
        before: dict[str, str] = {}
        for turn in range(KILLS // len(SIZES)):
            victim = next(victims)
            delay = random.uniform(0.0, 0.3 if turn % 3 == 0 else 2.0)
            hits[victim] += killed(home, folder, victim, delay)
            if not (home / "ark.duckdb").exists():
                continue
            now, alive = audit.stored(home), audit.on_disk(folder)
            if victim != "client":
                assert now == alive
            lost = {path for path, digest in before.items() if alive.get(path) == digest and path not in now}
            assert not lost, f"acknowledged and lost: {sorted(lost)[:5]}"
            kept += sum(path in now for path in before)
            before = now
            audit.disturb(folder, random)
        done = audit.run(home, "index", str(folder))
        assert done.returncode == 0, done.stderr
        chunks += audit.assert_whole(home, folder)
    counts = ", ".join(f"{victim} {count}" for victim, count in hits.items())
    passed(
        f"{hits.total()} of {KILLS // len(SIZES) * len(SIZES)} killed in mid-run ({counts}): none of "
        f"{kept:,} acknowledged documents missing, none twice, both indexes equal to the store's "
        f"{chunks:,} chunks without repair",
    )


def test_a_home_process_that_is_killed_under_its_clients_does_each_change_once(home: Path) -> None:
    passed = figures.begin("`kill -9` of the home process under four clients that write")
    over, random, done = threading.Event(), Random(5), [0] * 4
    workers = [Worker(home, f"writer{number}") for number in range(4)]
    with ThreadPoolExecutor(4) as threads:
        writing = [threads.submit(_write, worker, over) for worker in workers]
        try:
            for _ in range(KILLS):
                until(lambda: wrote_on(workers, done) or any(one.done() for one in writing), 300)
                assert not any(one.done() for one in writing), [
                    one.exception(0) for one in writing if one.done()
                ]
                time.sleep(random.uniform(0.0, 0.3))
                os.kill(process_of(home), signal.SIGKILL)
                done[:] = [len(worker.acknowledged) for worker in workers]
        finally:
            over.set()
    for one in writing:
        one.result()
    kept = [name for worker in workers for name in worker.acknowledged]
    reader = Worker(home, "reader")
    assert Counter(reader.names()) == Counter(kept)
    assert reader.ask(find.search, "a text").hits  # what the last one has not indexed, a search does first
    local.stop(home)
    checked = audit.run(home, "doctor")
    assert checked.returncode == 0, checked.stdout
    passed(
        f"{KILLS} kills: each of {len(kept):,} acknowledged changes of 6 kinds is there once, none besides"
    )


def wrote_on(workers: Sequence[Worker], before: Sequence[int]) -> bool:
    """Whether a change of each was acknowledged since then."""
    return all(len(one.acknowledged) > count for one, count in zip(workers, before, strict=True))


def _write(worker: Worker, over: threading.Event) -> None:
    """Change something until it is over."""
    for number in count():
        if over.is_set():
            break
        worker.change(number)


def test_ctrl_c_in_the_middle_of_five_thousand_files_then_again(tmp_path: Path, home: Path) -> None:
    passed = figures.begin("Ctrl-C in the middle of 5,000 files")
    folder = tmp_path / "pages"
    audit.write_pages(folder, 5000, seed=3)
    process = indexing(home, folder)
    log = home / "ark.duckdb.wal"
    while not (log.exists() and log.stat().st_size > 1 << 20):
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    pressed = time.monotonic()
    _, said = process.communicate(timeout=60)
    took = time.monotonic() - pressed
    assert "Traceback" not in said, said
    assert process.returncode == 130, said
    local.stop(home)
    there = len(audit.stored(home))
    assert 0 < there < 5000
    assert audit.run(home, "index", str(folder)).returncode == 0
    audit.assert_whole(home, folder)
    passed(
        f"stopped within {took:.1f} s with {there:,} documents stored; the same command again: all 5,000",
    )
