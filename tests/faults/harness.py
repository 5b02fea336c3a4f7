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
    reports = [folder / f"trials-{number}.jsonl" for number in range(processes)]
    running = [_started(report, library, f"{n}/{processes}", arguments) for n, report in enumerate(reports)]
    assert [process.wait() for process in running] == [0] * processes
    return [
        Trial(**json.loads(line)) for report in reports for line in report.read_text("utf-8").splitlines()
    ]


def _started(report: Path, library: Path, share: str, arguments: Sequence[str]) -> subprocess.Popen[bytes]:
    """A campaign that writes its trials to a file; how far it is it says on stderr."""
    words = ["--shim", str(library), "--share", share, *arguments]
    with report.open("wb") as file:
        return subprocess.Popen(
            [sys.executable, "-m", "tests.faults.campaign", *words], stdout=file, cwd=ROOT
        )
