"""Jumping: one letter for every pane and part."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text
from textual.containers import Vertical
from textual.widgets import Static

from ark_tui.faces.tui.screens.dialog import Dialog
from ark_tui.faces.tui.widgets.title_line import TitleLine

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult

TARGETS = {
    "s": ("query", "query line"),
    "t": ("terms", "further terms"),
    "r": ("results", "results"),
    "d": ("reader", "document"),
    "w": ("why", "why here"),
    **{str(number): (pane, pane) for number, pane in TitleLine.PANES.items()},
}
"""The letter, the part's id, and what it is called."""


class JumpScreen(Dialog[str]):
    """Answers with the id of a part or pane."""

    def compose(self) -> ComposeResult:
        with Vertical(classes="box") as box:
            box.border_title = "Jump to"
            box.border_subtitle = self.closes
            text = Text()
            for letter, (_, name) in TARGETS.items():
                text.append(letter, "bold")
                text.append(f"  {name}\n")
            text.rstrip()
            yield Static(text)

    def on_key(self, event: events.Key) -> None:
        target = TARGETS.get(event.character or "")
        if target is not None:
            event.stop()
            self.dismiss(target[0])
