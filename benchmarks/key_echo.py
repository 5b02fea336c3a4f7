"""From a key to its character on the screen, each key searching, while 100,000 chunks are indexed, and after.

Both are typed into one workbench in a terminal: first while a child process indexes, then, after it was
stopped, over what it has read so far.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from benchmarks import corpus
from benchmarks.measure import Figure, middle, percentile, rounded, tell
from benchmarks.terminal import Terminal, environment

LIMIT = 16.0  # ms: a frame, sixty of which a terminal shows in a second
PAGES = 16_000  # of which 100,000 chunks come
KEYS = "ЖΨЩΩЯΞФΔЭΦДΛБΠЮΣ" * 3  # letters that nothing else on the screen has
APART = 0.12  # seconds between two keys: a hundred words a minute
BACKSPACE = "\x7f"
F2, F8 = "\x1bOQ", "\x1b[19~"


def main() -> None:
    folder = corpus.pages(PAGES)
    with tempfile.TemporaryDirectory() as scratch:
        busy, idle = _typed(folder, Path(scratch) / "home")
    tell(
        Figure(
            "key_echo", round(middle(busy) / LIMIT, 3), "≤ 1",
            rounded(indexing_ms=middle(busy), indexing_p95_ms=percentile(busy, 0.95),
                    idle_ms=middle(idle), idle_p95_ms=percentile(idle, 0.95)),
        ),
        f"While 100,000 chunks are indexed, a key is echoed after {middle(busy):.1f} ms (≤ {LIMIT:.0f}; p95 "
        f"{percentile(busy, 0.95):.1f}), otherwise after {middle(idle):.1f}, each key searching",
    )  # fmt: skip


def _typed(folder: Path, home: Path) -> tuple[list[float], list[float]]:
    """Milliseconds of the keys typed during indexing, and of those typed after it."""
    with Terminal([sys.executable, "-m", "ark_tui"], environment(home)) as terminal:
        terminal.until("Nothing here yet")
        terminal.settle(3.0)
        terminal.press(F2)
        terminal.until("Index a folder")
        terminal.press(f"{folder}\r")
        terminal.until("reading")
        terminal.press("spectral ")
        terminal.settle(3.0)
        busy = echoes(terminal, KEYS, APART)
        terminal.press(F8)
        terminal.until("stopped. What was done")
        terminal.settle(20.0)  # what was read is embedded first
        return busy, echoes(terminal, KEYS, APART)


def echoes(terminal: Terminal, keys: str, apart: float) -> list[float]:
    """Milliseconds from each key to its character; `apart`: seconds between two keys."""
    times = []
    for key in keys:
        pressed = time.perf_counter()
        terminal.press(key)
        times.append((terminal.until(key) - pressed) * 1000)
        terminal.settle(apart)
        terminal.press(BACKSPACE)
        terminal.settle(apart)
    return times


if __name__ == "__main__":
    main()
