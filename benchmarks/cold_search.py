"""A whole `ark-tui search` process against a bare click command that imports tantivy and duckdb."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from ark_tui.engine import Engine
from ark_tui.settings import load
from benchmarks import corpus
from benchmarks.measure import Figure, in_turns, middle, rounded, tell

ROUNDS = 15
BARE = """
import click

@click.command()
@click.argument("query")
def main(query: str) -> None:
    import duckdb, tantivy
    click.echo(query)

main()
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        bare = Path(scratch) / "bare.py"
        bare.write_text(BARE, "utf-8")
        home = Path(scratch) / "home"
        with Engine(load(home, environ={})) as engine:
            engine.index([corpus.SAMPLE])
        ours = [str(Path(sys.executable).parent / "ark-tui"), "--home", str(home), "search"]
        commands = [
            [sys.executable, str(bare), "spectral gap"],
            [*ours, "--mode", "keyword", "spectral gap"],
            [*ours, "spectral gap"],
            [sys.executable, "-c", "import click"],
            [sys.executable, "-c", "pass"],
        ]
        works = [partial(run, command) for command in commands]
        plain, keyword, whole, click_alone, python = in_turns(works, ROUNDS)
    ratio = middle(keyword) / middle(plain)
    tell(
        Figure(
            "cold_search", round(ratio, 3), "≤ 1.3",
            rounded(bare_ms=middle(plain), keyword_ms=middle(keyword), hybrid_ms=middle(whole),
                    click_ms=middle(click_alone), python_ms=middle(python),
                    hybrid_ratio=middle(whole) / middle(plain)),
        ),
        f"`ark-tui search --mode keyword` takes {ratio:.2f} × a bare command ({middle(keyword):.0f} ms); "
        f"`ark-tui search` {middle(whole):.0f} ms (goal: 400–500 ms)",
    )  # fmt: skip


def run(command: list[str]) -> None:
    subprocess.run(command, check=True, capture_output=True)


if __name__ == "__main__":
    main()
