"""Measures by workers of a real Ray: they are ended, and whoever has them is."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from tests.cluster.test_pieces import analysed, assert_alike
from tests.soak import audit, figures
from tests.soak.test_cluster import below, head, interrupt

pytest.importorskip("ray", reason="Ray is not installed: the extra `cluster`")
pytestmark = pytest.mark.soak

FILES = 2000
PATIENCE = 240.0  # seconds
SMALL, WHAT = "tests.cluster.finely", "novelty,foundations"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home of so many pages that workers are at it for a while."""
    folder = tmp_path_factory.mktemp("pieces")
    audit.write_pages(folder / "pages", FILES, seed=31)
    assert audit.run(folder / "home", "index", str(folder / "pages")).returncode == 0
    return folder / "home"


def begun(home: Path, what: str) -> subprocess.Popen[str]:
    """Measure by two workers, in many small pieces."""
    shutil.rmtree(home / "cache" / "analysis", ignore_errors=True)
    return subprocess.Popen(
        [
            sys.executable, "-m", SMALL, "--home", str(home), "analyze", "--json", "--what", what,
            "--on", "local:2",
        ],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=audit.surroundings(),
    )  # fmt: skip


def at_work(process: subprocess.Popen[str]) -> list[int]:
    """The workers that are at a piece, once there are some."""
    end = time.monotonic() + PATIENCE
    while True:
        if found := [one.pid for one in below(process.pid) if one.name.startswith("ray::_made")]:
            return found
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end


def test_workers_are_ended_by_kill_9_and_what_is_measured_is_the_same(home: Path) -> None:
    passed = figures.begin("Measures by 2 workers of Ray, two of them ended by `kill -9`")
    here = analysed(home, SMALL, what=WHAT)
    process = begun(home, WHAT)
    killed: set[int] = set()
    while len(killed) < 2:
        for pid in at_work(process):
            os.kill(pid, signal.SIGKILL)
            killed.add(pid)
    out, err = process.communicate(timeout=PATIENCE)

    assert_alike(here, subprocess.CompletedProcess([], process.returncode, out, err))
    passed(f"the same neighbours of {FILES:,} documents, spectrum and novelty")


def test_ctrl_c_ends_the_workers_and_half_a_measure_is_not_kept(home: Path) -> None:
    process = begun(home, "foundations")
    at_work(process)
    interrupt(process)
    assert not [*home.glob("cache/analysis/*/*/*")]


def test_a_cluster_by_its_address_measures_the_same(home: Path) -> None:
    here = analysed(home, SMALL, what=WHAT)
    with tempfile.TemporaryDirectory(prefix="r", dir="/tmp") as folder, head(Path(folder) / "r") as cluster:
        assert_alike(here, analysed(home, SMALL, "--on", cluster.on, what=WHAT))
