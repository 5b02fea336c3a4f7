"""Memory of the workbench over 5,000 keys: queries, documents that are read, every pane; by 500 keys.

The home is served by a process of its own, so this is the workbench alone. The curve is in docs/workbench.md.
Figure: growth after the first 500 keys, in parts of 20 MB.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Figure, rounded, tell
from benchmarks.terminal import Terminal, environment

KEYS = 5_000
STEP = 500
LIMIT = 20.0  # MB that keys after the first step may add
APART = 0.03  # seconds between two keys
QUERIES = (
    "spectral gap",
    "memory cards",
    "ranking",
    "lanczos",
    "forgetting",
    "search index",
    "review",
    "graph",
)
F3, F5, ESCAPE, DOWN = "\x1bOR", "\x1b[15~", "\x1b", "\x1b[B"


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        curve = _curve(Path(scratch) / "home")
    first, end = curve[STEP], curve[KEYS]
    tell(
        Figure(
            "workbench_memory", round(max(0.0, end - first) / LIMIT, 3), "≤ 1",
            rounded(**{f"keys_{keys}_mb": size for keys, size in curve.items()}),
        ),
        f"The workbench has {curve[0]:.0f} MB at the start, {first:.0f} after {STEP:,} keys and "
        f"{end:.0f} after {KEYS:,}",
    )  # fmt: skip


def _curve(home: Path) -> dict[int, float]:
    """MB of resident memory by the number of keys."""
    curve: dict[int, float] = {}
    with Terminal([sys.executable, "-m", "ark_tui"], environment(home)) as terminal:
        terminal.until("Nothing here yet")
        terminal.settle(3.0)
        terminal.press(F3)
        terminal.until("120 documents")
        terminal.settle(10.0)
        for number, key in enumerate(_keys()):
            if number % STEP == 0:
                curve[number] = terminal.megabytes
                print(f"{number:>5} keys  {curve[number]:.0f} MB", file=sys.stderr, flush=True)
            if number == KEYS:
                return curve
            terminal.press(key)
            terminal.settle(APART)
    return curve


def _keys() -> Iterator[str]:
    """A query typed, hits gone through and read in both forms, a pane looked at: again and again."""
    dice = random.Random(7)
    while True:
        query = dice.choice(QUERIES)
        yield from (ESCAPE, "1", "/", "\x15", *query, "\r", *"jjjjj", "\r", *"nnMM", ESCAPE, "w", ESCAPE)
        yield from (dice.choice("2345"), DOWN, DOWN, "\t", ESCAPE, F5)


if __name__ == "__main__":
    main()
