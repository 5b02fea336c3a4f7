"""`kill -9`, Ctrl-C and a great many files: the same command again goes on, nothing twice, nothing lost."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path
from random import Random

import pytest

from tests.soak import audit, figures

pytestmark = pytest.mark.soak

KILLS = 50
SIZES = (300, 600, 1200, 2500, 5000)  # files; ten kills each


def killed(home: Path, folder: Path, delay: float) -> bool:
    """Index a folder and kill the process after a while; false when it had come to its end before."""
    process = subprocess.Popen(
        audit.command(home, "index", str(folder)),
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=audit.surroundings(),
    )  # fmt: skip
    try:
        process.wait(delay)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return True
    return False


def test_fifty_kills_in_a_row_lose_nothing_and_store_nothing_twice(tmp_path: Path) -> None:
    passed = figures.begin(
        "`kill -9` at random moments of indexing 300 to 5,000 files, edited and moved between"
    )
    random = Random(2026)
    hits, kept, chunks = 0, 0, 0
    for size in SIZES:
        folder, home = tmp_path / f"pages-{size}", tmp_path / f"home-{size}"
        audit.write_pages(folder, size, seed=size)
        before: dict[str, str] = {}
        for turn in range(KILLS // len(SIZES)):
            early = turn % 3 == 0
            hits += killed(home, folder, random.uniform(0.05, 0.9) if early else random.uniform(0.5, 5.0))
            if not (home / "ark.duckdb").exists():
                continue
            now = audit.stored(home)
            alive = audit.on_disk(folder)
            lost = {path for path, digest in before.items() if alive.get(path) == digest and path not in now}
            assert not lost, f"acknowledged and lost: {sorted(lost)[:5]}"
            kept += sum(path in now for path in before)
            before = now
            audit.disturb(folder, random)
        done = audit.run(home, "index", str(folder))
        assert done.returncode == 0, done.stderr
        chunks += audit.assert_whole(home, folder)
    passed(
        f"{hits} of {KILLS} processes killed in mid-run: none of {kept:,} acknowledged documents missing, "
        f"none twice, both indexes equal to the store's {chunks:,} chunks without repair",
    )


def test_a_kill_while_the_home_is_being_made_leaves_a_home_that_works(tmp_path: Path) -> None:
    passed = figures.begin("`kill -9` in the first second of a new home")
    random = Random(7)
    folder = tmp_path / "pages"
    audit.write_pages(folder, 30, seed=1)
    hits = 0
    for turn in range(40):
        home = tmp_path / f"home-{turn}"
        hits += killed(home, folder, 0.15 + random.random() * 0.6)
        done = audit.run(home, "index", str(folder))
        assert done.returncode == 0, (turn, done.stderr)
        assert audit.stored(home) == audit.on_disk(folder)
    passed(
        f"{hits} of 40 killed in mid-run: every home works after",
    )


def test_ctrl_c_in_the_middle_of_five_thousand_files_then_again(tmp_path: Path) -> None:
    passed = figures.begin("Ctrl-C in the middle of 5,000 files")
    folder, home = tmp_path / "pages", tmp_path / "home"
    audit.write_pages(folder, 5000, seed=3)
    process = subprocess.Popen(
        audit.command(home, "index", str(folder)),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=audit.surroundings(),
    )  # fmt: skip
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
    there = len(audit.stored(home))
    assert 0 < there < 5000
    assert audit.run(home, "index", str(folder)).returncode == 0
    audit.assert_whole(home, folder)
    passed(
        f"stopped within {took:.1f} s with {there:,} documents stored; the same command again: all 5,000",
    )


def test_ctrl_c_while_the_indexes_catch_up_says_so(tmp_path: Path) -> None:
    """Not finished means not exit code 0."""
    folder, home = tmp_path / "pages", tmp_path / "home"
    audit.write_pages(folder, 3000, seed=4)
    process = subprocess.Popen(
        audit.command(home, "index", str(folder), "--jsonl"),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=audit.surroundings(),
    )  # fmt: skip
    assert process.stdout
    for line in process.stdout:
        if '"words"' in line or '"vectors"' in line:
            break
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert "Traceback" not in said, said
    with_all = audit.run(home, "doctor")
    assert process.returncode == 130 or with_all.returncode == 0, "reported success with indexes behind"
    assert audit.run(home, "index", str(folder)).returncode == 0
    audit.assert_whole(home, folder)


def test_twenty_thousand_files_in_one_folder(tmp_path: Path) -> None:
    passed = figures.begin("20,000 files in one folder")
    folder, home = tmp_path / "pages", tmp_path / "home"
    folder.mkdir()
    for number in range(20_000):
        (folder / f"{number:05}.md").write_text(
            f"# Note {number}\n\nThe {number}th of many small notes.\n", "utf-8"
        )
    started = time.monotonic()
    assert audit.run(home, "index", str(folder)).returncode == 0
    first = time.monotonic() - started
    started = time.monotonic()
    assert audit.run(home, "index", str(folder)).returncode == 0
    again = time.monotonic() - started
    assert len(audit.stored(home)) == 20_000
    passed(
        f"all indexed in {first:.0f} s; unchanged, the same command takes {again:.1f} s",
    )
