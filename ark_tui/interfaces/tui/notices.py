"""What is said for a while in a corner of the screen."""

from __future__ import annotations

from textual.notifications import Notification

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
