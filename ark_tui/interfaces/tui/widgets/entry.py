"""A line to type in, which draws what stands in it harmlessly: what was pasted or kept may hold anything."""

from __future__ import annotations

from rich.text import Text
from textual.widgets import Input

from ark_tui.domain.display import visible_line


class Entry(Input):
    """Textual's input. Its value stays as it is; a stand-in is drawn for each character that does harm."""

    @property
    def _value(self) -> Text:
        """The text as it is drawn."""
        drawn = Text(visible_line(self.value), no_wrap=True, overflow="ignore", end="")
        return self.highlighter(drawn) if self.highlighter else drawn
