"""What is right with the home, what was wrong and has been mended, and what is still wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from ark_tui.domain.display import visible_line
from ark_tui.interfaces.tui.screens.dialog import TextDialog
from ark_tui.interfaces.tui.widgets import ink

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.style import Style

    from ark_tui.domain.work import Check
    from ark_tui.interfaces.tui.state.context import PaneContext
    from ark_tui.interfaces.tui.widgets.labelled import Row


class ChecksScreen(TextDialog[None]):
    """The findings, those first that need somebody."""

    called = "The home"

    def __init__(self, context: PaneContext, checks: Sequence[Check]) -> None:
        super().__init__(context)
        self._checks = checks

    def rows(self) -> Iterator[Row]:
        for check in sorted(self._checks, key=lambda one: (one.ok is not False, not one.repaired)):
            word, style = self._mark(check)
            said = visible_line(self.context.worded(check.detail))
            name = (f"{visible_line(check.name)}: ", "bold")
            yield Text(f"{word:<9}", style), Text.assemble(name, said)

    def _mark(self, check: Check) -> tuple[str, Style]:
        if check.repaired:
            return "repaired", ink.ink(self, "accent")
        if check.ok is None:
            return "note", ink.ink(self, "muted")
        return ("ok", ink.ink(self, "muted")) if check.ok else ("wrong", ink.ink(self, "error"))
