"""The end of the terminal: the workbench leaves as by its key, and nothing of it is left behind.

A hangup is not always told. Where the process that leads the session outlives it, as `make` does while it
waits for the workbench, the system sends no `SIGHUP` to the others; input then ends, and is read for ever.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable

LOOK = 1.0  # seconds between two looks whether the terminal is still there
SIGNALS = (signal.SIGHUP, signal.SIGTERM)


class Hangup:
    """Calls `leave` once, when the terminal is gone or the process is told to end."""

    def __init__(self, leave: Callable[[], Awaitable[None]]) -> None:
        self._leave = leave
        self._leaving: asyncio.Future[None] | None = None
        loop = asyncio.get_running_loop()
        for number in SIGNALS:
            loop.add_signal_handler(number, self.end)

    def look(self) -> None:
        """End where the terminal is gone."""
        if not os.isatty(0):
            self.end()

    def end(self) -> None:
        """Leave; what is still written goes nowhere where there is no terminal to take it."""
        if self._leaving is None:
            if not os.isatty(0):
                _turn_away()
            self._leaving = asyncio.ensure_future(self._leave())


def _turn_away() -> None:
    """Put nothing in place of the terminal: a write to it fails, and Textual would wait for that for ever."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    os.close(nothing)
