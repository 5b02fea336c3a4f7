"""The figures of the long trials, gathered in `docs/reliability.md`: one row per trial."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "reliability.md"
HEAD = (
    "# Reliability\n\nEach row is written by the trial it names: `make soak` runs all of them.\n\n"
    "| trial | result | date |\n|---|---|---|\n"
)


def begin(trial: str) -> Callable[[str], None]:
    """Say that a trial has begun; what is returned notes that it passed, and with what figures."""
    _note(trial, "**not passed**")
    return partial(_note, trial)


def _note(trial: str, result: str) -> None:
    rows = {}
    if PAGE.is_file():
        lines = PAGE.read_text("utf-8").splitlines()
        rows = {line.split(" | ")[0].removeprefix("| "): line for line in lines[6:] if line.startswith("| ")}
    rows[trial] = f"| {trial} | {result} | {datetime.now(UTC).date().isoformat()} |"
    PAGE.write_text(HEAD + "\n".join(rows.values()) + "\n", "utf-8")
    sys.stdout.write(f"\n{trial}: {result}\n")
