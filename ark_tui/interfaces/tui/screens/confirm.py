"""Asking before what cannot be undone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text
from textual.content import Content
from textual.widgets import Static

from ark_tui.domain.display import visible_line
from ark_tui.interfaces.tui.screens.dialog import Dialog, ScrolledText

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events
    from textual.app import ComposeResult

    from ark_tui.interfaces.tui.state.context import PaneContext

YES = "y"


class ConfirmScreen(Dialog[bool]):
    """Answers with True, or with nothing."""

    AUTO_FOCUS = "ScrolledText"

    def __init__(self, context: PaneContext, title: str, said: Sequence[str], does: str) -> None:
        """`said`: paragraphs; `does`: what the key does, in a word or two."""
        super().__init__(context)
        self._title = title
        self._said = said
        self._does = does

    def compose(self) -> ComposeResult:
        with ScrolledText(classes="box") as box:
            box.border_title = Content(visible_line(self._title))
            box.border_subtitle = Content(f"{YES} {self._does} · {self.closes}")
            yield Static(Text("\n".join(visible_line(line) for line in self._said)))

    def on_key(self, event: events.Key) -> None:
        if event.character == YES:
            event.stop()
            self.dismiss(True)
