"""An input of one line: it draws harmful characters as stand-ins and joins pasted lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text
from textual.widgets import Input

from ark_tui.domain.display import visible_line

if TYPE_CHECKING:
    from textual.events import Paste


class Entry(Input):
    """Textual's input. Its value stays as it is; a stand-in is drawn for each character that does harm."""

    @property
    def _value(self) -> Text:
        """The text as it is drawn."""
        drawn = Text(visible_line(self.value), no_wrap=True, overflow="ignore", end="")
        return self.highlighter(drawn) if self.highlighter else drawn

    def on_paste(self, event: Paste) -> None:
        """Join the lines by blanks: Textual's own handler, which runs next, inserts only the first line."""
        lines = event.text.splitlines()
        if len(lines) > 1:
            event.text = " ".join(filter(None, map(str.strip, lines)))
