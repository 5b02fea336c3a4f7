"""Keys one after another: each goes to where the one before it has led."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, TypeAlias

from textual.events import Key, Paste

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from textual.app import App
    from textual.message_pump import MessagePump

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
