"""A terminal without a screen: programs are started on it, typed into, and what they draw is read."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Mapping
from types import TracebackType
from typing import Self

from benchmarks.measure import megabytes

COLUMNS, ROWS = 120, 34
CONTROL = re.compile(rb"\x1b(?:\[[0-9;?<>=$ ]*[A-Za-z~]|[PX^_\]].*?(?:\x1b\\|\x07)|.)", re.DOTALL)
PATIENCE = 60.0  # seconds


class Terminal:
    """One program on a terminal of its own; it is killed at the end."""

    def __init__(self, command: list[str], environ: Mapping[str, str]) -> None:
        self.began = time.perf_counter()
        self._pid, self._fd = pty.fork()
        if self._pid == 0:
            os.execvpe(command[0], command, dict(environ))
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))

    @property
    def megabytes(self) -> float:
        """The resident memory of the program (Linux)."""
        return megabytes(self._pid)

    def press(self, keys: str) -> None:
        os.write(self._fd, keys.encode())

    def until(self, text: str) -> float:
        """Read until a text has been drawn, and say when; raises `TimeoutError`."""
        wanted, read = text.encode(), b""
        end = time.perf_counter() + PATIENCE
        while wanted not in CONTROL.sub(b"", read):
            if not select.select([self._fd], [], [], max(0.0, end - time.perf_counter()))[0]:
                raise TimeoutError(f"{text!r} was not drawn within {PATIENCE:.0f} s")
            read += os.read(self._fd, 1 << 16)
        return time.perf_counter()

    def settle(self, seconds: float) -> None:
        """Read whatever comes for a while."""
        end = time.perf_counter() + seconds
        while (left := end - time.perf_counter()) > 0:
            if select.select([self._fd], [], [], left)[0]:
                os.read(self._fd, 1 << 16)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        os.close(self._fd)


def environment(home: os.PathLike[str]) -> dict[str, str]:
    """A terminal with all colours, and a home of its own.

    Modules are compiled once and kept, as those of an installed program are, whatever the environment says.
    """
    left_out = {"LINES", "COLUMNS", "NO_COLOR", "PYTHONDONTWRITEBYTECODE"}
    kept = {name: value for name, value in os.environ.items() if name not in left_out}
    return {**kept, "TERM": "xterm-256color", "COLORTERM": "truecolor", "ARK_HOME": os.fspath(home)}
