"""Picking one of many: a list that what is typed above it narrows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.style import Style
from textual import on
from textual.widgets import Input

from ark_tui.domain.display import visible_line
from ark_tui.interfaces.tui.screens.narrowing import Narrowing
from ark_tui.interfaces.tui.widgets import ink
from ark_tui.interfaces.tui.widgets.entry import Entry
from ark_tui.interfaces.tui.widgets.row_list import RowList

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult

    from ark_tui.interfaces.tui.state.context import PaneContext
    from ark_tui.interfaces.tui.state.dialogs import Choice


class Choices(RowList):
    """Those that fit what was typed."""

    BORDER_TITLE = ""

    def __init__(self, choices: Sequence[Choice]) -> None:
        super().__init__(id="choices")
        self._choices = choices
        self.fitting: Sequence[int] = range(len(choices))

    @property
    def count(self) -> int:
        return len(self.fitting)

    def line(self, row: int, part: int, width: int) -> list[ink.Piece]:
        del part
        choice = self._choices[self.fitting[row]]
        about = ink.shorten_start(visible_line(choice.about), width // 2)
        left = ink.shorten(visible_line(choice.label), width - len(about) - 1)
        return ink.justified([(left, Style.null())], [(about, self.ink("muted"))], width)

    def narrow(self, typed: str) -> None:
        """Keep those that hold every word, letters of any case."""
        words = typed.casefold().split()
        self.fitting = [
            number
            for number, one in enumerate(self._choices)
            if all(word in f"{one.label} {one.about}".casefold() for word in words)
        ]
        self.cursor = 0
        self.rows_changed()


class PickScreen(Narrowing[int]):
    """Answers with the number of the one that was picked."""

    def __init__(self, context: PaneContext, title: str, choices: Sequence[Choice], cursor: int = 0) -> None:
        super().__init__(context)
        self._title = title
        self._choices = choices
        self._cursor = cursor

    def compose(self) -> ComposeResult:
        with self.box(self._title, "⏎ goes there"):
            yield Entry(placeholder="type to narrow the list", select_on_focus=False)
            yield Choices(self._choices)

    @property
    def choices(self) -> Choices:
        return self.query_one(Choices)

    def on_mount(self) -> None:
        self.choices.styles.height = min(len(self._choices), 24)
        self.choices.rows_changed()
        self.choices.cursor = self._cursor

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        self.choices.narrow(event.value)
        found, of = self.choices.count, len(self._choices)
        said = f"{found} of {of} · " if event.value.strip() else ""
        self.say(f"{said}⏎ goes there")

    @on(Input.Submitted)
    def _submitted(self) -> None:
        self._pick()

    @on(RowList.Chosen)
    def _pick(self) -> None:
        if self.choices.count:
            self.dismiss(self.choices.fitting[self.choices.cursor])
