"""The end of the terminal: the workbench leaves as by its key, and nothing of it is left behind.

A hangup is not always told. Where the process that leads the session outlives it, as `make` does while it
waits for the workbench, the system sends no `SIGHUP` to the others; input then ends, and is read for ever.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import IO, Any

from textual.drivers.linux_driver import LinuxDriver

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
        """Leave; what is still said goes nowhere where there is no terminal to say it on."""
        if self._leaving is None:
            if not os.isatty(0):
                nothing = os.open(os.devnull, os.O_RDWR)
                for standard in (0, 1, 2):
                    os.dup2(nothing, standard)
                os.close(nothing)
            self._leaving = asyncio.ensure_future(self._leave())


class Terminal(LinuxDriver):
    """Textual's, which goes on where nothing can be written any more.

    Its thread that writes would end at the first write that fails, and the workbench wait for that thread
    for ever, once its queue is full.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._file = Written(self._file)  # type: ignore[assignment,arg-type]


class Written:
    """A file of which nobody is told that it cannot be written."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file
        self.fileno, self.isatty = file.fileno, file.isatty

    def write(self, text: str) -> None:
        with suppress(OSError):
            self._file.write(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._file.flush()
