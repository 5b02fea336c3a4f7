"""The installed command in a real terminal, from the first start to the end."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic, sleep

import pytest

PATIENCE = 40.0  # seconds; two cores may be busy with other tests
SESSION = f"ark-tui-test-{os.getpid()}"

EDITOR = """
import sys
open({asked!r}, "w").write("\\n".join(sys.argv[1:]))
open(sys.argv[2], "a").write("\\nQuinces too.\\n")
"""

pytestmark = pytest.mark.skipif(
    shutil.which("tmux") is None, reason="tmux is not installed: no real terminal to drive"
)


class Terminal:
    """A terminal of 120 × 34, in tmux."""

    def __init__(self, socket: Path) -> None:
        self._tmux = ["tmux", "-S", str(socket), "-f", os.devnull]

    def start(self, command: list[str], environ: dict[str, str]) -> None:
        given = ["-u", "LINES", "-u", "COLUMNS", *(f"{name}={value}" for name, value in environ.items())]
        stay = f"{shlex.join(['env', *given, *command])}; echo ended with $?; read _"
        self._run("new", "-d", "-s", SESSION, "-x", "120", "-y", "34", "sh", "-c", stay)

    def press(self, *keys: str) -> None:
        self._run("send-keys", "-t", SESSION, *keys)

    def type(self, text: str) -> None:
        self._run("send-keys", "-t", SESSION, "-l", text)

    def screen(self) -> str:
        return self._run("capture-pane", "-p", "-t", SESSION)

    def until(self, condition: Callable[[str], object], what: str) -> str:
        end = monotonic() + PATIENCE
        while not condition(screen := self.screen()):
            assert monotonic() < end, f"waited in vain for {what}\n{screen}"
            sleep(0.05)
        return screen

    def end(self) -> None:
        self._run("kill-server")

    def _run(self, *words: str) -> str:
        done = subprocess.run([*self._tmux, *words], capture_output=True, text=True, check=True)
        return done.stdout


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    made = Terminal(tmp_path / "tmux")
    yield made
    made.end()


def test_from_the_first_start_to_the_end(terminal: Terminal, home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "apples.md").write_text("# Apples\n\nSome apples are green, some apples are red.\n")
    (folder / "pears.md").write_text("# Pears\n\nA pear is green until it is not.\n")
    (folder / "picture.bin").write_bytes(b"\x00\x01\x02")
    editor = tmp_path / "editor.py"
    asked = tmp_path / "asked"
    editor.write_text(EDITOR.format(asked=str(asked)))
    environ = {"ARK_HOME": str(home), "HOME": str(tmp_path), "EDITOR": f"{sys.executable} {editor}"}

    terminal.start([sys.executable, "-m", "ark_tui"], environ)
    terminal.until(lambda s: "Nothing here yet" in s and "F2" in s, "the first start")
    terminal.press("F2")
    terminal.until(lambda s: "Index a folder" in s, "the dialog")
    terminal.type("~/notes")
    terminal.press("Enter")
    terminal.until(lambda s: "2 documents · 1 skipped" in s, "the end of indexing")

    terminal.type("green apples")
    terminal.until(lambda s: "●b" in s and "▌Apples" in s and "sum " in s, "hits, and why")
    terminal.press("Enter")
    terminal.until(lambda s: "⏎ open" in s, "the results in focus")
    terminal.press("j")
    terminal.until(lambda s: "▌Pears" in s, "the cursor on the second hit")
    terminal.press("k")
    terminal.until(lambda s: "apples.md:1 · match 1 of 4" in s, "the first document again")
    terminal.press("Enter", "n")
    terminal.until(lambda s: "match 2 of 4" in s, "the next match")
    terminal.press("e")
    terminal.until(lambda s: asked.exists() and "match" in s, "the editor")
    assert asked.read_text().split("\n") == ["+3", str(folder / "apples.md")]
    terminal.until(lambda s: "Quinces too." in s, "what the editor has added")

    terminal.press("2")
    terminal.until(lambda s: "Collections" in s and "picture.bin" in s, "the library")
    terminal.press("1", "/", "M-3")
    terminal.until(lambda s: "Scratchpad" in s, "the notebook, by a key pressed in the query line")
    terminal.press("1", "F1")
    terminal.until(lambda s: "Help" in s and "esc closes" in s, "the help")
    terminal.press("Escape")
    terminal.until(lambda s: "esc closes" not in s, "the help to close")
    terminal.press("C-q")
    screen = terminal.until(lambda s: "ended with" in s, "the end")
    assert "ended with 0" in screen
    assert "Traceback" not in screen
    assert "nanobind" not in screen
