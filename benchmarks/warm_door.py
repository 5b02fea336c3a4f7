"""A whole `ark-tui search` process through the warm door against ripgrep over the same files."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from benchmarks import corpus
from benchmarks.measure import Figure, in_turns, middle, rounded, tell

ROUNDS = 25


def main() -> None:
    if not shutil.which("rg"):
        sys.exit("ripgrep (rg) is not installed: it is what the door is measured against.")
    with tempfile.TemporaryDirectory() as scratch:
        home, pages = Path(scratch) / "home", corpus.pages(2000)
        ours = [str(Path(sys.executable).parent / "ark-tui")]
        os.environ["ARK_HOME"] = str(home)
        for command in (["index", str(pages)], ["warm"], ["search", "spectral gap"]):
            subprocess.run([*ours, *command], check=True, capture_output=True)
        commands = [
            ["rg", "spectral gap", str(pages)],
            [*ours, "search", "--mode", "keyword", "spectral gap"],
            [*ours, "search", "spectral gap"],
            [sys.executable, "-c", "pass"],
        ]
        try:
            works = [partial(subprocess.run, one, capture_output=True, check=False) for one in commands]
            ripgrep, keyword, whole, python = in_turns(works, ROUNDS)
        finally:
            subprocess.run([*ours, "warm", "--stop"], check=True, capture_output=True)
    ratio = middle(whole) / middle(ripgrep)
    tell(
        Figure(
            "warm_door", round(ratio, 3), "≤ 3",
            rounded(ripgrep_ms=middle(ripgrep), keyword_ms=middle(keyword), hybrid_ms=middle(whole),
                    python_ms=middle(python), keyword_ratio=middle(keyword) / middle(ripgrep)),
        ),
        f"`ark-tui search` through the warm door takes {middle(whole):.0f} ms, {ratio:.2f} × ripgrep over "
        f"the same 2,000 files; by keywords {middle(keyword):.0f} ms; Python alone {middle(python):.0f} ms",
    )  # fmt: skip


if __name__ == "__main__":
    main()
