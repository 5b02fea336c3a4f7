"""What has been said so far: messages that were on the screen for a moment."""

from __future__ import annotations

from rich.text import Text

from ark_tui.interfaces.tui.screens.dialog import TextDialog

MARKS = {"information": "·", "warning": "!", "error": "✗"}


class SaidScreen(TextDialog[None]):
    """The messages, the latest first."""

    called = "Messages"

    def text(self) -> Text:
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
