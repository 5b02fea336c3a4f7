"""What can be picked, in rows: in the picker, and as completion below the query line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.style import Style

from ark_tui.domain.display import visible_line
from ark_tui.interfaces.tui.state.choice import Choice
from ark_tui.interfaces.tui.widgets import ink
from ark_tui.interfaces.tui.widgets.row_list import Rows

if TYPE_CHECKING:
    from collections.abc import Sequence


class Choices(Rows[Choice]):
    """Choices, a line each: the label, and something about it at the right."""

    BORDER_TITLE = ""
    empty = "Reading …"

    def show(self, choices: Sequence[Choice], *, grouped: bool = False) -> None:
        """List choices from the first one; `grouped`: below the names of what they belong to."""
        starts = {
            row: one.group
            for row, one in enumerate(choices)
            if grouped and one.group and (not row or choices[row - 1].group != one.group)
        }
        self.rules = starts
        self.put(choices)

    def pieces(self, row: Choice, part: int, width: int) -> list[ink.Piece]:
        del part
        state = f"  {row.state}" if row.state else ""
        about = ink.shorten_start(visible_line(row.about), max(width // 2, width - len(row.label) - 2))
        label = ink.shorten(visible_line(row.label), width - len(about) - len(state) - 1)
        left = [(label, Style.null()), (state, self.ink("warning"))]
        return ink.justified(left, [(f" {about}", self.ink("muted"))], width)
