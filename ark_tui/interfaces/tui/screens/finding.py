"""Finding one document, or file, of all by letters of its title and path."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.style import Style
from textual import getters, on
from textual.widgets import Input

from ark_tui import operations
from ark_tui.domain import fuzzy
from ark_tui.domain.display import visible_line
from ark_tui.domain.library import Findable
from ark_tui.interfaces.tui.screens.narrowing import Narrowing
from ark_tui.interfaces.tui.state.client import act
from ark_tui.interfaces.tui.widgets import ink
from ark_tui.interfaces.tui.widgets.entry import Entry
from ark_tui.interfaces.tui.widgets.row_list import RowList, Rows

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from ark_tui.interfaces.tui.state.context import PaneContext

MOST = 200
"""Rows; who sees more has typed too little."""


class Found(Rows[Findable]):
    """What fits, best first: its title, why it is none that a search finds, and where it lies."""

    empty = "Reading …"

    def pieces(self, row: Findable, part: int, width: int) -> list[ink.Piece]:
        del part
        muted = self.ink("muted")
        state = f"  {row.state}" if row.state else ""
        place = ink.shorten_start(visible_line(row.place), width // 2)
        title = ink.shorten(visible_line(row.title) or "–", width - len(place) - len(state) - 1)
        return ink.justified(
            [(title, Style.null()), (state, self.ink("warning"))], [(f" {place}", muted)], width
        )


class FindScreen(Narrowing[str]):
    """Answers with what names it: an id, the place of a file, or what was typed."""

    found = getters.query_one(Found)

    def __init__(self, context: PaneContext, title: str) -> None:
        super().__init__(context)
        self._title = title
        self._all: tuple[Findable, ...] = ()

    def compose(self) -> ComposeResult:
        with self.box(self._title):
            yield Entry(placeholder="letters of its title or path", select_on_focus=False)
            yield Found("found")

    @property
    def choices(self) -> Found:
        return self.found

    def on_mount(self) -> None:
        self.request(act(operations.workbench.findable), self._read, group="findable")

    def _read(self, found: tuple[Findable, ...]) -> None:
        self._all = found
        self.found.empty = "There is nothing here yet."
        self._narrow()

    @on(Input.Changed)
    def _narrow(self) -> None:
        """Look for what fits in a thread: there may be a hundred thousand."""
        typed, known = self.query_one(Input).value, self._all
        if typed.strip():
            self.request(
                lambda _: fuzzy.best(typed, known, lambda one: one.name, MOST), self._show, group="narrow"
            )
        else:
            self._show(list(known[:MOST]))

    def _show(self, fitting: list[Findable]) -> None:
        typed = self.query_one(Input).value.strip()
        by_name = (Findable(typed, f"A file of the name {typed}", ""),) if typed else ()
        self.found.put((*fitting, *by_name))
        self.found.cursor = 0
        more = f"the first {MOST} of " if len(fitting) == MOST < len(self._all) else f"{len(fitting)} of "
        said = f"{more}{len(self._all):,} · " if self._all else ""
        self.say(f"{said}⏎ asks")

    @on(Input.Submitted)
    @on(RowList.Chosen)
    def _pick(self) -> None:
        if here := self.found.here:
            self.dismiss(here.ref)
