"""The figures of the long trials, gathered in `benchmarks/reliability.md`: one line per trial."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

PAGE = Path(__file__).parents[2] / "benchmarks" / "reliability.md"
HEAD = "# Tried for reliability\n\nWritten by `make soak`.\n\n| trial | result | date |\n|---|---|---|\n"


def note(trial: str, result: str) -> None:
    """Put a trial's result into the page, in place of the one before."""
    rows = {}
    if PAGE.is_file():
        lines = PAGE.read_text("utf-8").splitlines()
        rows = {line.split(" | ")[0].removeprefix("| "): line for line in lines[6:] if line.startswith("| ")}
    rows[trial] = f"| {trial} | {result} | {datetime.now(UTC).date().isoformat()} |"
    PAGE.write_text(HEAD + "\n".join(rows.values()) + "\n", "utf-8")
    print(f"\n{trial}: {result}")  # noqa: T201  for whoever runs it
