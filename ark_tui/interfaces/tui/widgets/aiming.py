"""What scrolls goes on from where it stands, also when its box has grown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Vertical
from textual.widget import Widget


class Aiming(Widget if TYPE_CHECKING else object):  # type: ignore[misc]
    """A view whose scrolling leads nowhere beyond its end.

    Textual takes the place of a view that has grown back into what there is, and leaves the aim of its
    scrolling: the first notches of the wheel upwards would move nothing.
    """

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """The place has changed."""
        super().watch_scroll_y(old_value, new_value)
        if self.scroll_target_y > self.max_scroll_y:
            self.scroll_to(y=self.max_scroll_y, animate=False, immediate=True)


class Column(Aiming, Vertical):
    """Parts one below the other, which scroll together."""
