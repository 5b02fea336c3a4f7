"""From a key to its character on the screen, while a folder is being indexed and every key searches.

The bare app beside it has one input and nothing to do, on a machine that is just as busy.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks import corpus
from benchmarks.first_paint import BARE
from benchmarks.measure import Figure, middle, percentile, rounded, tell
from benchmarks.terminal import Terminal, environment

KEYS = "ЖΨЩΩЯΞФΔЭΦДΛБΠЮΣ" * 3  # letters that nothing else on the screen has
APART = 0.15  # seconds between two keys
BACKSPACE = "\x7f"
F2 = "\x1bOQ"


def main() -> None:
    folder = corpus.pages()
    with tempfile.TemporaryDirectory() as scratch:
        bare = Path(scratch) / "bare.py"
        bare.write_text(BARE, "utf-8")
        busy = _workbench(folder, Path(scratch) / "home")
        plain = _bare(bare, folder, Path(scratch) / "other")
    ratio = middle(busy) / middle(plain)
    tell(
        Figure(
            "key_echo", round(ratio, 3), "≤ 2",
            rounded(workbench_ms=middle(busy), workbench_p95_ms=percentile(busy, 0.95),
                    bare_ms=middle(plain), bare_p95_ms=percentile(plain, 0.95)),
        ),
        f"A key is echoed in {ratio:.2f} × the time of a bare app on the same busy machine: "
        f"{middle(busy):.1f} against {middle(plain):.1f} ms, while a folder is indexed and each key searches",
    )  # fmt: skip


def _workbench(folder: Path, home: Path) -> list[float]:
    with Terminal([sys.executable, "-m", "ark_tui"], environment(home)) as terminal:
        terminal.until("Nothing here yet")
        terminal.settle(3.0)
        terminal.press(F2)
        terminal.until("Index a folder")
        terminal.press(f"{folder}\r")
        terminal.until("reading")
        terminal.press("spectral ")
        terminal.settle(2.0)
        times = _echoes(terminal)
        terminal.press("\x1b[19~")  # F8: stop, or the child would outlive its home
        terminal.until("Indexing stopped")
        return times


def _bare(script: Path, folder: Path, home: Path) -> list[float]:
    command = [sys.executable, "-m", "ark_tui", "index", "--jsonl", "--home", str(home), str(folder)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as indexing:
        with Terminal([sys.executable, str(script)], environment(home)) as terminal:
            terminal.until("nothing else")
            terminal.settle(3.0)
            times = _echoes(terminal)
        indexing.terminate()
    return times


def _echoes(terminal: Terminal) -> list[float]:
    """Milliseconds from each key to its character."""
    times = []
    for key in KEYS:
        pressed = time.perf_counter()
        terminal.press(key)
        times.append((terminal.until(key) - pressed) * 1000)
        terminal.settle(APART / 2)
        terminal.press(BACKSPACE)
        terminal.settle(APART / 2)
    return times


if __name__ == "__main__":
    main()
