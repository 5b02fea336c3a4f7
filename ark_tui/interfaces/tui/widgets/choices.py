"""Rows of choices, for the picker and for completion below the query line."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

from rich.style import Style

from ark_tui.domain.display import visible_line
from ark_tui.domain.query import SAVED
from ark_tui.interfaces.tui.state import strings
from ark_tui.interfaces.tui.state.names import NAMES, Choice, Values
from ark_tui.interfaces.tui.widgets import ink
from ark_tui.interfaces.tui.widgets.requesting import Requesting
from ark_tui.interfaces.tui.widgets.row_list import Rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.widgets import Input

    from ark_tui.interfaces.tui.state.context import PaneContext


class Choices(Rows[Choice]):
    """Choices, one line each: the label, and details at the right."""

    BORDER_TITLE = ""
    empty = "Reading …"

    def show(self, choices: Sequence[Choice], *, grouped: bool = False) -> None:
        """List choices from the first one. `grouped`: below the headings of their groups."""
        starts = {
            row: one.group
            for row, one in enumerate(choices)
            if grouped and one.group and (not row or choices[row - 1].group != one.group)
        }
        self.rules = starts
        self.put(choices)

    def pieces(self, row: Choice, _part: int, width: int) -> list[ink.Piece]:
        state = f"  {row.state}" if row.state else ""
        room = max(width // 2, width - len(row.label) - len(state) - 2)
        about = ink.shorten_start(visible_line(row.about), room)
        label = ink.shorten(visible_line(row.label), width - len(about) - len(state) - 1)
        left = [(label, Style.null()), (state, self.ink("warning"))]
        return ink.justified(left, [(f" {about}", self.ink("muted"))], width)


FRESH = 5.0
"""Seconds for which values are cached."""

MOST = 8
"""Visible rows; the others are reached by scrolling."""


class Completions(Requesting, Choices, can_focus=False):
    """Completions of the last word, below the input.

    Tab inserts the selected completion. Enter does so only after the cursor was moved; otherwise it searches.
    If the word may be complete without a field, only tab inserts.
    """

    def __init__(self, context: PaneContext, line: Input) -> None:
        super().__init__("completions")
        self.context, self._line = context, line
        self.display = False
        self._values = Values("")
        self._moved = False
        self._known: dict[str, tuple[float, Sequence[Choice]]] = {}  # by field, with the time they were read

    def offer(self) -> None:
        """Show the completions for the typed text, if there are any."""
        text = self._line.value
        self._values = values = Values(text if self._line.cursor_position == len(text) else "")
        self._moved = False
        asked, known = self._known.get(values.field, (-FRESH, ()))
        if not values.field:
            self.close()
        elif time.monotonic() - asked <= FRESH:
            self._list(known)
        else:
            self.request(values.read, partial(self._read, values.field), group="values")

    def _read(self, field: str, known: Sequence[Choice]) -> None:
        self._known[field] = time.monotonic(), known
        if field == self._values.field:
            self._list(known)

    def _list(self, known: Sequence[Choice]) -> None:
        found = self._values.fitting(self._values.begun, known)
        none_saved = self._values.field == SAVED and not known
        if not (found or none_saved) or not self._line.has_focus:
            self.close()  # and the layout does not change
            return
        self.display = True
        self.empty = strings.NO_SAVED.format(key=self.context.keys["search.save"])
        self.styles.height = min(MOST, max(1, len(found))) + 2
        self.styles.offset = (min(len(self._values.before), max(0, self._line.size.width - 44)), 0)
        self.border_subtitle = "tab select" if found else ""
        self.show(found)

    def close(self) -> None:
        """Hide the completions."""
        self.display = False

    def take_key(self, key: str) -> bool:
        """Handle a key that was pressed in the input. Return whether it was for the completions."""
        few = self._values.field == NAMES or not self.count  # keys for the completions
        if not self.display or (few and key not in {"tab", "escape"}):
            return False
        if key in {"down", "up"}:
            self._moved = True
            self.move_to(self.cursor + (1 if key == "down" else -1))
        elif key == "escape":
            self.close()
        elif key in {"tab", "right"} or (key == "enter" and self._moved):
            self.action_open()
        else:
            if key == "enter":
                self.close()
            return False
        return True

    def on_row_list_chosen(self, event: Choices.Chosen) -> None:
        """Insert the selected completion into the input."""
        event.stop()
        if self.here is not None:
            self._line.value = self._values.completed(self.here)
            self._line.cursor_position = len(self._line.value)
            self._line.focus()

    def on_row_list_moved(self, event: Choices.Moved) -> None:
        event.stop()
