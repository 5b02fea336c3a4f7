"""A list, and beside it what there is to say of the row under its cursor; in a narrow window below it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.containers import Container

from ark_tui.interfaces.tui.widgets.paged_list import PagedList
from ark_tui.interfaces.tui.widgets.pausing import anew
from ark_tui.interfaces.tui.widgets.requesting import Requesting
from ark_tui.interfaces.tui.widgets.row_list import RowList

if TYPE_CHECKING:
    from textual.timer import Timer
    from textual.widget import Widget


class ListDetail(Requesting, Container):
    """The detail follows the cursor of the list, once that stands still; `esc` leads from it to the list."""

    PAUSE: ClassVar[float] = 0.08
    """Seconds that the list has to stand still before its row is shown."""

    AT_ONCE: ClassVar[bool] = False
    """What there is to say is there already: the detail follows every move."""

    _pause: Timer | None = None

    @property
    def listed(self) -> RowList:
        """The list that is in front."""
        raise NotImplementedError

    @property
    def first(self) -> Widget:
        """What is focused when one comes here."""
        return self.listed

    def show_here(self) -> None:
        """Show what there is to say of the row under the cursor, or that there is none."""
        raise NotImplementedError

    def show_soon(self) -> None:
        """Show it once the list stands still."""
        self._pause = anew(self, self._pause, self.PAUSE, self.show_now)

    def show_now(self) -> None:
        """Show it, and nothing again in a moment."""
        self.stay()
        self.show_here()

    def stay(self) -> None:
        """Show nothing in a moment."""
        if self._pause is not None:
            self._pause.stop()
            self._pause = None

    @on(events.DescendantFocus)
    def _focus_has_moved(self) -> None:
        """Who goes into the detail does not wait for it: keys there mean the row under the cursor."""
        if self._pause is not None and not self.listed.has_focus:
            self.show_now()

    @on(RowList.Moved)
    @on(PagedList.Landed)
    def _row_changed(self, event: RowList.OfRows) -> None:
        if event.rows is self.listed:
            at_once = self.AT_ONCE or isinstance(event, PagedList.Landed)
            (self.show_now if at_once else self.show_soon)()

    def step_back(self) -> bool:
        """From the detail to the list; False where the focus is not in the detail."""
        inside = self.has_focus_within and not self.listed.has_focus
        if inside:
            self.listed.focus()
        return inside
