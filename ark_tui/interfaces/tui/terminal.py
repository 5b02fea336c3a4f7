"""What Textual leaves open: keys typed ahead, alt and a digit, a terminal that goes away, old messages."""

from __future__ import annotations

import asyncio
import os
import signal
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from enum import Enum
from typing import IO, TYPE_CHECKING, Any, TypeAlias, cast

from textual import _ansi_sequences
from textual.drivers.linux_driver import LinuxDriver
from textual.events import Key, Paste
from textual.notifications import Notification

if TYPE_CHECKING:
    from textual.app import App
    from textual.message_pump import MessagePump


DIGITS = "0123456789"

AltDigit = Enum("AltDigit", {f"ALT_{digit}": f"alt+{digit}" for digit in DIGITS})  # type: ignore[misc]
"""Textual reads the name of a key from `value`, as of its own `Keys`, which have no such members."""


def learn() -> None:
    """Have Textual read `alt` and a digit as that key, from now on, in this process."""
    sequences = cast("dict[str, Any]", _ansi_sequences.ANSI_SEQUENCES_KEYS)
    sequences.update({f"\x1b{digit}": (key,) for digit, key in zip(DIGITS, AltDigit, strict=True)})


def without_text(key: Key) -> None:
    """Take the letter from a key pressed with `alt`: it is a command, and no text field inserts it."""
    if key.key.startswith("alt+"):
        key.character = None


Typed: TypeAlias = Key | Paste

PATIENCE = 1.0
"""Seconds after which the next key goes on all the same: something holds up what the one before has begun."""


class KeyQueue:
    """What is typed ahead of the screen.

    Textual gives a key to what is focused when it arrives, and carries out later what it means. So `/` and
    `x` typed quickly, or on a busy machine, would be two keys of the list, and the second trashes a document.
    """

    def __init__(self, app: App[None], forward: Callable[[Typed], Awaitable[None]]) -> None:
        """`forward` gives a key to what is focused."""
        self._app = app
        self._forward = forward
        self._waiting: deque[Typed] = deque()
        self._under_way: Typed | None = None
        self._patience: asyncio.TimerHandle | None = None

    async def take(self, event: Typed) -> None:
        """Something was typed."""
        self._waiting.append(event)
        await self._go_on()

    async def _go_on(self) -> None:
        while self._waiting and self._under_way is None:
            event = self._waiting.popleft()
            focused = self._app.focused
            if (
                focused is not None
                and isinstance(event, Key)
                and focused.check_consume_key(event.key, event.character)
            ):
                await self._forward(event)  # a letter typed into a text leads nowhere
                continue
            self._under_way = event
            self._patience = asyncio.get_running_loop().call_later(PATIENCE, self._over, event)
            await self._forward(event)
            self._follow(focused or self._app.screen, event)

    def _follow(self, node: MessagePump, event: Typed) -> None:
        """Wait until a part has handled the key, then those that it is in, up to the app."""
        above = node._parent  # noqa: SLF001 - the way that an unhandled key goes
        if node is self._app or above is None:
            self._app.call_later(self._settle, event)
        elif not node.call_later(self._follow, above, event):
            self._follow(above, event)

    def _settle(self, event: Typed) -> None:
        """Its action has run: wait for the focus, the screen and the painting that come of it."""
        if not self._app.screen.call_after_refresh(self._over, event):
            self._over(event)

    def _over(self, event: Typed) -> None:
        if event is not self._under_way:
            return
        self._under_way = None
        if self._patience is not None:
            self._patience.cancel()
        if self._waiting:
            self._app.call_later(self._go_on)


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


LEAST = 0.05
"""Seconds that a message is there at least."""


class Notice(Notification):
    """A message that can be shown again, as it is when a dialog opens, at the very moment of its end.

    Textual (8.2.8) then starts a timer of less than no time, whose loop never comes to an end: no key would
    be answered and nothing painted any more.
    """

    @property
    def time_left(self) -> float:
        """Seconds, never none."""
        return max(LEAST, super().time_left)

    @property
    def has_expired(self) -> bool:
        """Whether its time is over."""
        return super().time_left <= 0
