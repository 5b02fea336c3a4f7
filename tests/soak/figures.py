"""The figures of the long trials, gathered in `docs/reliability.md`: one row per trial."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "reliability.md"
RULE = "|---|---|---|\n"
"""What stands above the rows of the table."""


def begin(trial: str) -> Callable[[str], None]:
    """Say that a trial has begun; what is returned notes that it passed, and with what figures."""
    _note(trial, "**not passed**")
    return partial(_note, trial)


def _note(trial: str, result: str) -> None:
    head, _, table = PAGE.read_text("utf-8").partition(RULE)
    rows = {line.split(" | ")[0].removeprefix("| "): line for line in table.splitlines()}
    rows[trial] = f"| {trial} | {result} | {datetime.now(UTC).date().isoformat()} |"
    PAGE.write_text(head + RULE + "\n".join(rows.values()) + "\n", "utf-8")
    sys.stdout.write(f"\n{trial}: {result}\n")
