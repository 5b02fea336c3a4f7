"""A real terminal, in tmux, for who drives the installed command as a person would."""

from __future__ import annotations

import os
import pty
import select
import shlex
import shutil
import subprocess
import sys
import termios
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep

import pytest

PATIENCE = 40.0  # seconds; two cores may be busy with other tests
SESSION = f"ark-tui-test-{os.getpid()}"

needs_tmux = pytest.mark.skipif(
    shutil.which("tmux") is None, reason="tmux is not installed: no real terminal to drive"
)


WORKBENCH = (sys.executable, "-m", "ark_tui")


def open_in_terminal(home: Path, *command: str, query: str = "hello") -> tuple[subprocess.Popen[bytes], int]:
    """Start a command in a pseudo-terminal of its own, and wait until the workbench shows a query."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(ours, (24, 80))
    environ = {**os.environ, "ARK_HOME": str(home), "ARK_WATCH": "0", "TERM": "xterm-256color"}
    process = subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, env=environ, start_new_session=True
    )
    os.close(theirs)
    seen, typed = b"", False
    while query.encode() not in seen:
        seen += more(ours)
        if b"Query" in seen and not typed:
            typed = bool(os.write(ours, b"\x1b[200~" + query.encode() + b"\x1b[201~"))
    return process, ours


def more(terminal: int) -> bytes:
    """What is written to a terminal next."""
    assert select.select([terminal], [], [], PATIENCE)[0], "nothing comes any more"
    return os.read(terminal, 1 << 16)


class Terminal:
    """A terminal of 120 × 34, or of another size, in tmux."""

    def __init__(self, socket: Path, size: tuple[int, int] = (120, 34)) -> None:
        self._size = [str(cells) for cells in size]
        self._tmux = ["tmux", "-S", str(socket), "-f", os.devnull]

    def start(self, command: list[str], environ: dict[str, str]) -> None:
        given = ["-u", "LINES", "-u", "COLUMNS", *(f"{name}={value}" for name, value in environ.items())]
        stay = f"{shlex.join(['env', *given, *command])}; echo ended with $?; read _"
        end = monotonic() + PATIENCE
        while not self._started(stay):  # a second start may meet a server that is just ending
            assert monotonic() < end, "tmux does not start"
            sleep(0.2)

    def _started(self, command: str) -> bool:
        width, height = self._size
        words = [*self._tmux, "new", "-d", "-s", SESSION, "-x", width, "-y", height, "sh", "-c", command]
        return subprocess.run(words, capture_output=True, check=False).returncode == 0

    def press(self, *keys: str) -> None:
        self._run("send-keys", "-t", SESSION, *keys)

    def type(self, text: str) -> None:
        self._run("send-keys", "-t", SESSION, "-l", text)

    def screen(self) -> str:
        return self._run("capture-pane", "-p", "-t", SESSION)

    def coloured(self) -> str:
        """The screen with its colours, which tell where the focus is."""
        return self._run("capture-pane", "-p", "-e", "-t", SESSION)

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
