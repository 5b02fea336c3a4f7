"""What is right with the home, what was wrong and has been mended, and what is still wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.widgets import Static

from ark_tui.domain.display import visible_line
from ark_tui.interfaces.tui.screens.dialog import Dialog, ScrolledText
from ark_tui.interfaces.tui.widgets import ink

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.style import Style
    from textual.app import ComposeResult

    from ark_tui.domain.work import Check
    from ark_tui.interfaces.tui.state.context import PaneContext


class ChecksScreen(Dialog[None]):
    """The findings, those first that need somebody."""

    COMPONENT_CLASSES: ClassVar[set[str]] = ink.CLASSES

    def __init__(self, context: PaneContext, checks: Sequence[Check]) -> None:
        super().__init__(context)
        self._checks = checks

    def compose(self) -> ComposeResult:
        with ScrolledText(classes="box") as box:
            box.border_title = "The home"
            box.border_subtitle = self.closes
            yield Static(self._text())

    def _text(self) -> Text:
        text = Text()
        for check in sorted(self._checks, key=lambda one: (one.ok is not False, not one.repaired)):
            word, style = self._mark(check)
            text.append(f"{word:<8}", style)
            text.append(f"{visible_line(check.name)}: ", "bold")
            text.append(f"{visible_line(self.context.worded(check.detail))}\n")
        text.rstrip()
        return text

    def _mark(self, check: Check) -> tuple[str, Style]:
        if check.repaired:
            return "mended", ink.ink(self, "accent")
        if check.ok is None:
            return "note", ink.ink(self, "muted")
        return ("ok", ink.ink(self, "muted")) if check.ok else ("wrong", ink.ink(self, "error"))
