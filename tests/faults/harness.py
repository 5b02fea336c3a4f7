"""Runs the campaign in processes of its own, and reads what it found."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.faults.campaign import Trial, kept
from tests.faults.shim import MISSING, compiled

ROOT = Path(__file__).parents[2]


def campaign(folder: Path, arguments: Sequence[str], processes: int = 1) -> list[Trial]:
    """The trials that were carried out; skips the test where there can be none.

    They are written to the folder as they come: one that has some goes on with the others. How far the
    processes are they say on stderr.
    """
    folder.mkdir(parents=True, exist_ok=True)
    library = compiled(folder)
    if library is None:
        pytest.skip(MISSING)
    words = [sys.executable, "-m", "tests.faults.campaign", "--shim", str(library), *arguments]
    running = [
        subprocess.Popen(
            [*words, "--share", f"{number}/{processes}", "--report", folder / f"trials-{number}.jsonl"],
            cwd=ROOT,
        )
        for number in range(processes)
    ]
    assert [process.wait() for process in running] == [0] * processes
    return list(kept(folder))
