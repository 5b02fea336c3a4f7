"""Flame graphs of one ingest and of one search from a command: `python -m benchmarks.flame`.

They are drawn by py-spy, where it is installed (`pip install py-spy`), into `docs/flame-ingest.svg` and
`docs/flame-search.svg`; docs/speed.md says what they show.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks import corpus

DOCS = Path(__file__).parents[1] / "docs"
RATE = {"ingest": 100, "search": 1000}  # looks a second
KEPT = (
    (r"<script.*?</script>", ""),
    (r' onload="[^"]*"', ""),
    (r'<text id="(?:details|unzoom|search|matched)"[^>]*>.*?</text>', ""),
    (r'(<text id="title"[^>]*>)[^<]*', r"\g<1>{title}"),
    (r"process \d+:[^(<]*", "process "),
)
"""What of py-spy's picture is replaced: a picture is kept, not a program, and no place of the machine."""


def main() -> None:
    spy = shutil.which("py-spy")
    if spy is None:
        sys.exit("py-spy is not installed: pip install py-spy, then try again.")
    program = str(Path(sys.executable).with_name("ark-tui"))
    with tempfile.TemporaryDirectory() as place:
        home = ("--home", f"{place}/home")
        drawn(spy, "ingest", (program, *home, "index", str(corpus.pages())), "Indexing 7,000 pages")
        drawn(spy, "search", (program, *home, "search", "how to list files"), "One search from a command")


def drawn(spy: str, name: str, command: tuple[str, ...], title: str) -> None:
    """Run a command under py-spy, and keep the picture without its search box's script, and a plain title."""
    path = DOCS / f"flame-{name}.svg"
    options = ("--subprocesses", "--nolineno", "--rate", str(RATE[name]), "--output", str(path))
    subprocess.run(
        (spy, "record", *options, "--", *command),
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    picture = path.read_text("utf-8")
    for pattern, instead in KEPT:
        picture = re.sub(pattern, instead.format(title=title), picture, flags=re.DOTALL)
    path.write_text(picture, "utf-8")


if __name__ == "__main__":
    main()
