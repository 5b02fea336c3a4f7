"""Runs the campaign in processes of its own, and reads what it found."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.faults.campaign import Trial
from tests.faults.shim import MISSING, compiled

ROOT = Path(__file__).parents[2]


def campaign(folder: Path, arguments: Sequence[str], processes: int = 1) -> list[Trial]:
    """The trials that were carried out; skips the test where there can be none."""
    library = compiled(folder)
    if library is None:
        pytest.skip(MISSING)
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.faults.campaign", "--shim", str(library),
             "--share", f"{number}/{processes}", *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT,
        )
        for number in range(processes)
    ]  # fmt: skip
    trials: list[Trial] = []
    for process in running:
        lines, complaint = process.communicate()
        assert process.returncode == 0, complaint
        trials += [Trial(**json.loads(line)) for line in lines.splitlines()]
    return trials
