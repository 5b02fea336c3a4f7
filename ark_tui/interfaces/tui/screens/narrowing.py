"""A line to type in above the list that it narrows."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

from textual.containers import Vertical
from textual.widgets import Input

from ark_tui.interfaces.tui.screens.dialog import Answer, Dialog
from ark_tui.interfaces.tui.widgets import ink
from ark_tui.interfaces.tui.widgets.row_list import RowList

if TYPE_CHECKING:
    from textual import events

MOVES = {
    "down": RowList.action_row_down,
    "up": RowList.action_row_up,
    "pagedown": RowList.action_page_down,
    "pageup": RowList.action_page_up,
    "ctrl+d": RowList.action_half_down,
    "ctrl+n": RowList.action_row_down,
}
"""Keys that move in the list while the focus is in the line above it."""


class Narrowing(Dialog[Answer]):
    """A box with a line and the list below it, in which keys move while the line has the focus."""

    COMPONENT_CLASSES: ClassVar[set[str]] = ink.CLASSES
    AUTO_FOCUS = "Input"

    @property
    @abstractmethod
    def choices(self) -> RowList:
        """The list."""

    def on_mount(self) -> None:
        self.query_one(Input).cursor_blink = False

    def say(self, said: str) -> None:
        """Say on the edge of the box what there is and what a key does."""
        self.query_one(".box", Vertical).border_subtitle = f"{said} · {self.closes}"

    def on_key(self, event: events.Key) -> None:
        move = MOVES.get(event.key)
        if move is not None and self.query_one(Input).has_focus:
            event.prevent_default()
            event.stop()
            move(self.choices)
