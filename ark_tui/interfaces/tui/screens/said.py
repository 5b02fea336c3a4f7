"""What has been said so far: messages that were on the screen for a moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from ark_tui.interfaces.tui.screens.dialog import TextDialog

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ark_tui.interfaces.tui.widgets.labelled import Row

MARKS = {"information": "·", "warning": "!", "error": "✗"}


class SaidScreen(TextDialog[None]):
    """The messages, the latest first."""

    called = "Messages"

    def rows(self) -> Iterator[Row]:
        if not self.context.said:
            yield Text(), Text("There are no messages yet.")
        for one in reversed(self.context.said):
            style = "dim" if one.severity == "information" else "bold"
            yield Text(f"{one.at:%H:%M:%S} {MARKS[one.severity]} ", style), Text(one.text)
