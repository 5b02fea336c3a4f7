"""What has been said so far: messages that were on the screen for a moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text
from textual.widgets import Static

from ark_tui.interfaces.tui.screens.dialog import Dialog, ScrolledText

if TYPE_CHECKING:
    from textual.app import ComposeResult


MARKS = {"information": "·", "warning": "!", "error": "✗"}


class SaidScreen(Dialog[None]):
    """The messages, the latest first."""

    def compose(self) -> ComposeResult:
        with ScrolledText(classes="box") as box:
            box.border_title = "Messages"
            box.border_subtitle = self.closes
            yield Static(self._text())

    def _text(self) -> Text:
        if not self.context.said:
            return Text("Nothing has been said yet.")
        text = Text()
        for one in reversed(self.context.said):
            first, *rest = one.text.split("\n")
            text.append(
                f"{one.at:%H:%M:%S} {MARKS[one.severity]} ",
                "dim" if one.severity == "information" else "bold",
            )
            text.append(first + "\n")
            for line in rest:
                text.append(f"           {line}\n")
        text.rstrip()
        return text
