"""Doing something once nothing has happened for a while."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.message_pump import MessagePump
    from textual.timer import Timer


def anew(pump: MessagePump, before: Timer | None, seconds: float, act: Callable[[], object]) -> Timer:
    """A timer that acts after so many seconds, in place of the one `before`."""
    if before is not None:
        before.stop()
    return pump.set_timer(seconds, act)
