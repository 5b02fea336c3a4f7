"""The installed command in a real terminal, from the first start to the end."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ark_tui.interfaces.client import local
from tests.terminal import Terminal, needs_tmux

EDITOR = """
import sys
open({asked!r}, "w").write("\\n".join(sys.argv[1:]))
open(sys.argv[2], "a").write("\\nQuinces too.\\n")
"""

pytestmark = needs_tmux


@pytest.fixture
def terminal(tmp_path: Path, home: Path) -> Iterator[Terminal]:
    """A terminal whose programs share the process of the home, as they do for people."""
    made = Terminal(tmp_path / "tmux")
    yield made
    made.end()
    local.stop(home)


def test_from_the_first_start_to_the_end(terminal: Terminal, home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "apples.md").write_text("# Apples\n\nSome apples are green, some apples are red.\n")
    (folder / "pears.md").write_text("# Pears\n\nA pear is green until it is not.\n")
    (folder / "picture.bin").write_bytes(b"\x00\x01\x02")
    editor = tmp_path / "editor.py"
    asked = tmp_path / "asked"
    editor.write_text(EDITOR.format(asked=str(asked)))
    environ = {
        "ARK_HOME": str(home),
        "ARK_DIRECT": "0",
        "HOME": str(tmp_path),
        "EDITOR": f"{sys.executable} {editor}",
    }

    terminal.start([sys.executable, "-m", "ark_tui"], environ)
    terminal.until(lambda s: "Nothing here yet" in s and "F2" in s, "the first start")
    terminal.press("F2")
    terminal.until(lambda s: "─ Index a folder ─" in s, "the dialog")
    terminal.type("~/notes")
    terminal.press("Enter")
    terminal.until(lambda s: "2 documents to search" in s, "the end of indexing")

    terminal.type("green apples")
    terminal.until(lambda s: "▌Apples" in s and "sum " in s, "hits, and why")
    terminal.press("Enter")
    terminal.until(lambda s: "⏎ read" in s, "the results in focus")
    terminal.press("j")
    terminal.until(lambda s: "▌Pears" in s and "pears.md:1 · match" in s, "the second hit, and its document")
    terminal.press("k")
    terminal.until(lambda s: "apples.md:1 · match 1 of 4" in s, "the first document again")
    terminal.press("Enter", "n")
    terminal.until(lambda s: "match 2 of 4" in s, "the next match")
    terminal.press("e")
    terminal.until(lambda s: asked.exists() and "match" in s, "the editor")
    assert asked.read_text().split("\n") == ["+3", str(folder / "apples.md")]
    terminal.until(lambda s: "Quinces too." in s, "what the editor has added")

    terminal.press("2")
    terminal.until(lambda s: "Collections" in s and "2 indexed · 1 skipped" in s, "the library")
    terminal.press("1", "/", "M-3")
    terminal.until(lambda s: "Scratchpad" in s, "the notebook, by a key pressed in the query line")
    terminal.press("1", "F1")
    terminal.until(lambda s: "Help" in s and "esc close" in s, "the help")
    terminal.press("Escape")
    terminal.until(lambda s: "esc close" not in s, "the help to close")
    terminal.press("C-q")
    screen = terminal.until(lambda s: "ended with" in s, "the end")
    assert "ended with 0" in screen
    assert "Traceback" not in screen
    assert "nanobind" not in screen
