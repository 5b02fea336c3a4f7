"""A real disk that is full, with a log that is still to be folded in: what only reads goes on."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.soak.audit import surroundings

OPTIONS = "size=12m,nr_inodes=400"


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own, small in bytes and in files."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = shutil.which("mount") and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", OPTIONS, "tmpfs", folder], capture_output=True, check=False
    )
    if not mounted or mounted.returncode:
        pytest.skip("Only root can mount a file system to fill up.")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def run(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ark_tui", "--home", str(home), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=surroundings())
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


def test_a_full_disk_is_said_and_reading_and_a_backup_elsewhere_go_on(disk: Path, tmp_path: Path) -> None:
    home = disk / "home"
    assert not run(home, "ingest", "Otters sleep in rivers.", "--title", "Otters").returncode
    ballast = fill(disk)
    refused = run(home, "tasks-add", "too late")
    assert refused.returncode == 3
    assert "is full" in refused.stderr
    for words in (("status",), ("doctor",), ("search", "otters"), ("backup", str(tmp_path / "copy.zip"))):
        done = run(home, *words)
        assert done.returncode == 0, (words, done.stderr)
    assert "too late" not in run(home, "tasks-list").stdout
    ballast.unlink()
    assert not run(home, "tasks-add", "too late").returncode
    assert run(home, "tasks-list").stdout.count("too late") == 1


def test_a_disk_without_room_for_another_file_is_said_and_the_text_is_kept_or_not_as_said(disk: Path) -> None:
    home = disk / "home"
    assert not run(home, "ingest", "Otters sleep in rivers.", "--title", "Otters").returncode
    free = os.statvfs(disk).f_ffree
    for number in range(free):
        (disk / f"ballast-{number}").touch()
    refused = run(home, "config", "set", "query_budget", "3")
    assert refused.returncode == 3
    assert "inodes" in refused.stderr
    assert not (home / "config.toml").exists()
    kept = run(home, "ingest", "Herons fish at dawn.", "--title", "Herons")
    assert not kept.returncode or "is full" in kept.stderr
    assert ("Herons" in run(home, "search", "herons").stdout) == (not kept.returncode)
    for number in range(free):
        (disk / f"ballast-{number}").unlink()
    assert not run(home, "ingest", "Herons fish at dawn.", "--title", "Herons").returncode
    assert not run(home, "doctor").returncode
