"""Extensions of Textual: typed-ahead keys, alt with digits, closed terminals, expired messages."""

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
"""Textual reads a key's name from `value`, as of its own `Keys`, which has no such members."""


def learn() -> None:
    """Make Textual parse `alt` with a digit as one key, in this process."""
    sequences = cast("dict[str, Any]", _ansi_sequences.ANSI_SEQUENCES_KEYS)
    sequences.update({f"\x1b{digit}": (key,) for digit, key in zip(DIGITS, AltDigit, strict=True)})


def without_text(key: Key) -> None:
    """Remove the character from a key pressed with `alt`, so that text fields do not insert it."""
    if key.key.startswith("alt+"):
        key.character = None


Typed: TypeAlias = Key | Paste

PATIENCE = 1.0
"""Seconds after which the next key is sent even if the previous one is still being processed."""


class KeyQueue:
    """Queues keys that are typed before the previous ones have been processed.

    Textual sends a key to the widget focused on arrival and runs its action later. `/` and `x` typed quickly
    would both go to the list, and `x` would trash a document.
    """

    def __init__(self, app: App[None], forward: Callable[[Typed], Awaitable[None]]) -> None:
        """`forward` sends a key to the focused widget."""
        self._app = app
        self._forward = forward
        self._waiting: deque[Typed] = deque()
        self._under_way: Typed | None = None
        self._patience: asyncio.TimerHandle | None = None

    async def take(self, event: Typed) -> None:
        """A key was typed."""
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
                await self._forward(event)  # letters in a text field trigger no action
                continue
            self._under_way = event
            self._patience = asyncio.get_running_loop().call_later(PATIENCE, self._over, event)
            await self._forward(event)
            self._follow(focused or self._app.screen, event)

    def _follow(self, node: MessagePump, event: Typed) -> None:
        """Wait until a widget has processed the key, then its ancestors, up to the app."""
        above = node._parent  # noqa: SLF001 - the way that an unhandled key goes
        if node is self._app or above is None:
            self._app.call_later(self._settle, event)
        elif not node.call_later(self._follow, above, event):
            self._follow(above, event)

    def _settle(self, event: Typed) -> None:
        """The action has run: wait until focus, screen and painting are updated."""
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


LOOK = 1.0  # seconds between checks for a closed terminal
SIGNALS = (signal.SIGHUP, signal.SIGTERM)


class Hangup:
    """Calls `leave` once, when the terminal is closed or the process gets a termination signal."""

    def __init__(self, leave: Callable[[], Awaitable[None]]) -> None:
        self._leave = leave
        self._leaving: asyncio.Future[None] | None = None
        loop = asyncio.get_running_loop()
        for number in SIGNALS:
            loop.add_signal_handler(number, self.end)

    def look(self) -> None:
        """Leave if the terminal is closed."""
        if not os.isatty(0):
            self.end()

    def end(self) -> None:
        """Restore the terminal. If it is gone, redirect the standard streams to the null device."""
        if self._leaving is None:
            if not os.isatty(0):
                nothing = os.open(os.devnull, os.O_RDWR)
                for standard in (0, 1, 2):
                    os.dup2(nothing, standard)
                os.close(nothing)
            self._leaving = asyncio.ensure_future(self._leave())


class Terminal(LinuxDriver):
    """Textual's driver, which ignores write errors.

    Otherwise its writer thread would end at the first error, and the app would wait forever for a full queue.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._file = Written(self._file)  # type: ignore[assignment,arg-type]


class Written:
    """A file that ignores write errors."""

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
"""Minimum seconds that a message is shown."""


class Notice(Notification):
    """A message that can be shown again, even at the moment it expires, as when a dialog opens.

    Textual (8.2.8) then starts a timer with a negative interval, whose loop never ends and blocks keys and
    painting.
    """

    @property
    def time_left(self) -> float:
        """Seconds left, never zero."""
        return max(LEAST, super().time_left)

    @property
    def has_expired(self) -> bool:
        """Whether the message has expired."""
        return super().time_left <= 0
