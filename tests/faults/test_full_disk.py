"""A real disk that is full under the home process: it refuses changes, answers questions, goes on later."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from ark_tui.interfaces.client import local
from tests.soak import audit

OPTIONS = "size=12m,nr_inodes=400"
LATE = f"too late {'x' * 8_192}"
"""A task that needs another page of the disk; a short one may still fit into the last page of the log."""


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A home with a text on a file system of its own, small in bytes and in files."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = shutil.which("mount") and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", OPTIONS, "tmpfs", disk], capture_output=True, check=False
    )
    if not mounted or mounted.returncode:
        pytest.skip("Only root can mount a file system to fill up.")
    assert not run(disk / "home", "ingest", "Otters sleep in rivers.", "--title", "Otters").returncode
    assert "Otters" in run(disk / "home", "search", "otters").stdout  # once both indexes have it
    yield disk / "home"
    local.stop(disk / "home")
    subprocess.run(["umount", "-l", disk], check=True)


def run(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    done = audit.run(home, *words, direct=False)
    assert "Traceback" not in done.stderr
    assert "Something unexpected" not in done.stderr
    return done


def fill(disk: Path) -> Path:
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file:
        for size in (1 << 16, 1 << 12):
            while True:
                try:
                    file.write(bytes(size))
                except OSError:
                    break
    return ballast


def test_a_full_disk_is_said_and_reading_and_a_backup_elsewhere_go_on(home: Path, tmp_path: Path) -> None:
    process = (home / local.LOCK).read_text()
    ballast = fill(home.parent)
    refused = run(home, "tasks-add", LATE)
    assert refused.returncode == 3
    assert "is full" in refused.stderr
    for words in (("status",), ("doctor",), ("search", "otters"), ("backup", str(tmp_path / "copy.zip"))):
        done = run(home, *words)
        assert done.returncode == 0, (words, done.stderr)
    assert "too late" not in run(home, "tasks-list").stdout
    ballast.unlink()
    assert not run(home, "tasks-add", LATE).returncode
    assert run(home, "tasks-list").stdout.count("too late") == 1
    assert (home / local.LOCK).read_text() == process
    assert not run(home, "doctor").returncode


def test_a_home_process_that_ends_on_a_full_disk_loses_nothing_and_starts_on_it(home: Path) -> None:
    assert not run(home, "tasks-add", "in time").returncode
    ballast = fill(home.parent)
    os.kill(int((home / local.LOCK).read_text()), signal.SIGKILL)
    assert "in time" in run(home, "tasks-list").stdout
    assert run(home, "tasks-add", LATE).returncode == 3
    ballast.unlink()
    assert not run(home, "tasks-add", "later").returncode
    listed = run(home, "tasks-list").stdout
    assert "in time" in listed
    assert "later" in listed
    assert "too late" not in listed


def test_where_no_index_can_be_written_each_search_says_so_until_there_is_room_again(home: Path) -> None:
    disk = home.parent
    free = os.statvfs(disk).f_ffree
    for number in range(free):
        (disk / f"ballast-{number}").touch()
    refused = run(home, "config", "set", "query_budget", "3")
    assert refused.returncode == 3
    assert "inodes" in refused.stderr
    assert not (home / "config.toml").exists()
    assert not run(home, "ingest", "Herons fish at dawn.", "--title", "Herons").returncode
    for _ in range(2):  # each answer says that the indexes lack the text, which is stored
        assert "do not follow yet" in run(home, "search", "herons").stderr
    assert "Herons" in run(home, "doc", "list").stdout
    for number in range(free):
        (disk / f"ballast-{number}").unlink()
    assert "Herons" in run(home, "search", "herons").stdout
    assert not run(home, "doctor").returncode
