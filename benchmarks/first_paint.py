"""From the command to the first frame, the workbench against a bare Textual app."""

from __future__ import annotations

import sys
import tempfile
from functools import partial
from pathlib import Path

from ark_tui.engine import Engine
from ark_tui.settings import load
from benchmarks import corpus
from benchmarks.measure import Figure, in_turns, middle, rounded, tell
from benchmarks.terminal import Terminal, environment

ROUNDS = 31
BARE = """
from textual.app import App
from textual.widgets import Footer, Input, Static

class Bare(App):
    def compose(self):
        yield Input(placeholder="a bare app")
        yield Static("nothing else")
        yield Footer()

Bare().run()
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        bare, home = Path(scratch) / "bare.py", Path(scratch) / "home"
        bare.write_text(BARE, "utf-8")
        with Engine(load(home, environ={})) as engine:
            engine.index([corpus.SAMPLE])
        environ = environment(home)
        plain, ours = in_turns(
            [
                partial(_paint, [sys.executable, str(bare)], environ, "nothing else"),
                partial(
                    _paint, [str(Path(sys.executable).with_name("ark-tui"))], environ, "Type a few words"
                ),
            ],
            ROUNDS,
        )
    ratio = middle(ours) / middle(plain)
    tell(
        Figure(
            "first_paint",
            round(ratio, 3),
            "≤ 1.25",
            rounded(bare_ms=middle(plain), workbench_ms=middle(ours)),
        ),
        f"The workbench paints its first frame in {ratio:.2f} × the time of a bare Textual app "
        f"({middle(ours):.0f} against {middle(plain):.0f} ms, command line included)",
    )  # fmt: skip


def _paint(command: list[str], environ: dict[str, str], text: str) -> None:
    with Terminal(command, environ) as terminal:
        terminal.until(text)


if __name__ == "__main__":
    main()
