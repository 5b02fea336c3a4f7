"""Lists of any length, loaded in pages, and the detail of the row under the cursor."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, ClassVar, Generic, TypeAlias, TypeVar

from textual import events, on
from textual.containers import Container
from textual.content import Content

from ark_tui.interfaces.tui.state import strings
from ark_tui.interfaces.tui.widgets.ink import Piece
from ark_tui.interfaces.tui.widgets.requesting import Requesting, anew
from ark_tui.interfaces.tui.widgets.row_list import RowList

if TYPE_CHECKING:
    from textual.timer import Timer
    from textual.widget import Widget

    from ark_tui.domain.errors import ArkError
    from ark_tui.domain.library import Page
    from ark_tui.interfaces.tui.state.client import Client
    from ark_tui.interfaces.tui.state.context import PaneContext


SIZE = 100
"""Rows per page."""

KEPT = 7
"""Maximum pages in memory: those nearest to the cursor."""

Row = TypeVar("Row")
Read: TypeAlias = "Callable[[Client, int, str], Page[Row]]"
"""Loads a page in a thread: from a row index, or around the row with an id."""


class PagedList(Requesting, RowList, Generic[Row]):
    """Rows in pages, which are loaded in threads."""

    NEWEST_FIRST: ClassVar[bool] = False
    """New rows appear at the top: a cursor on the first row stays there."""

    class Landed(RowList.OfRows):
        """The row under the cursor is loaded, or the list is empty."""

    def __init__(self, id: str, context: PaneContext, reading: Callable[[], Read[Row]]) -> None:  # noqa: A002 - as Textual calls it
        """`reading` returns the function that loads pages of the current listing."""
        super().__init__(id)
        self.context = context
        self._reading = reading
        self.nothing = ""  # text of an empty list, once it is known to be empty
        self._total = 0
        self.held: dict[int, tuple[Row, ...]] = {}  # by number
        self._renewing = False  # the loaded pages are outdated
        self._asked = -1  # the page being loaded; -1: none

    @abstractmethod
    def pieces(self, row: Row, part: int, width: int) -> list[Piece]:
        """The pieces of a line of a row."""

    @property
    def count(self) -> int:
        return self._total

    @property
    def _on_newest(self) -> bool:
        return self.NEWEST_FIRST and self.cursor == 0

    def known_as(self, row: int) -> str:
        known = self.known(row)
        return "" if known is None else self.key_of(known)

    def rows_here(self) -> Iterable[int]:
        return (number * SIZE + place for number, rows in self.held.items() for place in range(len(rows)))

    @property
    def here(self) -> Row | None:
        """The row under the cursor, if it is loaded."""
        return self.known(self.cursor)

    def renew(self, *, top: bool = False) -> None:
        """Reload the list. The old rows stay until it has loaded. `top`: move to the first row."""
        self._renewing = True
        if top:
            self.set_reactive(RowList.cursor, 0)
            self.scroll_to(y=0, animate=False, immediate=True)
        here = self.here
        around = None if top or here is None or self._on_newest else self.key_of(here)
        self._asked = self.cursor // SIZE
        if top:
            self._back_to = None
        elif self._back_to is not None:
            row, around = self._back_to
            self._asked = row // SIZE
        self._read(str(around or ""))

    def _read(self, around: str = "") -> None:
        """Load a page by its number, or the one around a row, given by its key."""
        read, offset = self._reading(), self._asked * SIZE
        self.request(lambda client: read(client, offset, around), self.take, self._miss, group="pages")

    def take(self, page: Page[Row]) -> None:
        """Show a loaded page."""
        before, above = self.here, self.cursor * self.ROW_HEIGHT - self.scroll_offset.y
        renewed, self._renewing, self._asked = self._renewing, False, -1
        if renewed:
            self.held.clear()
        self.held[page.offset // SIZE] = page.rows
        self._total = page.total
        self.empty = self.nothing
        self.border_subtitle = Content(f"{page.total:,}" if page.total else "")
        self._drop()
        self.rows_changed()
        if renewed:
            self._find(before, above, page)
        if renewed or page.offset // SIZE == self.cursor // SIZE:
            self.post_message(self.Landed(self))

    def _miss(self, error: ArkError) -> None:
        """A page could not be loaded. A key retries it; an empty list says so."""
        self.context.say_error(error)
        self._asked = -1
        self.empty = strings.LIST_FAILED.format(key=self.context.keys["everywhere.reload"])
        self.refresh()

    def _find(self, before: Row | None, above: int, page: Page[Row]) -> None:
        """Put the cursor on its previous row, at the same height in the view.

        If the newest row comes first and the cursor was on it, the cursor stays on the first row.
        """
        was = row = self.cursor
        if page.row is not None:
            row = page.row
        elif before is not None and not self._on_newest:
            keys = [self.key_of(one) for one in page.rows]
            row = page.offset + keys.index(self.key_of(before)) if self.key_of(before) in keys else row
        with self.prevent(RowList.Moved):
            self.cursor = row
        if row != was:
            self.scroll_to(y=max(0, row * self.ROW_HEIGHT - above), animate=False, immediate=True)
            self.show_row(row)

    def known(self, row: int) -> Row | None:
        """A row, if it is loaded."""
        number, place = divmod(row, SIZE)
        rows = self.held.get(number, ())
        return rows[place] if place < len(rows) else None

    def _want(self, number: int) -> None:
        """Request a page. A newer request replaces it; it is made again if its rows are still in view."""
        if self._asked != number:
            self._asked = number
            self._read()

    def _drop(self) -> None:
        """Drop the pages farthest from the cursor."""
        near = sorted(self.held, key=lambda number: abs(number - self.cursor // SIZE))
        for number in near[KEPT:]:
            del self.held[number]

    def line(self, row: int, part: int, width: int) -> list[Piece]:
        known = self.known(row)
        if known is not None:
            return self.pieces(known, part, width)
        if not self._renewing:
            self._want(row // SIZE)
        return [("…" if part == 0 else "", self.ink("muted"))]


class ListDetail(Requesting, Container):
    """A detail that follows the cursor of a list after a pause. `esc` returns from it to the list."""

    PAUSE: ClassVar[float] = 0.08
    """Seconds without cursor moves before a row is shown."""

    AT_ONCE: ClassVar[bool] = False
    """The detail needs no loading and follows every move at once."""

    _pause: Timer | None = None

    @property
    def listed(self) -> RowList:
        """The current list."""
        raise NotImplementedError

    @property
    def first(self) -> Widget:
        return self.listed

    def show_here(self) -> None:
        """Show the detail of the row under the cursor, or that there is none."""
        raise NotImplementedError

    def show_soon(self) -> None:
        """Show the detail after the pause."""
        self._pause = anew(self, self._pause, self.PAUSE, self.show_now)

    def show_now(self) -> None:
        """Show the detail now and cancel the pending update."""
        self.stay()
        self.show_here()

    def stay(self) -> None:
        """Cancel the pending update."""
        if self._pause is not None:
            self._pause.stop()
            self._pause = None

    @on(events.DescendantFocus)
    def _focus_has_moved(self) -> None:
        """Show the detail at once when it gets the focus, because keys there apply to the selected row."""
        if self._pause is not None and not self.listed.has_focus:
            self.show_now()

    @on(RowList.Moved)
    @on(PagedList.Landed)
    def _row_changed(self, event: RowList.OfRows) -> None:
        if event.rows is self.listed:
            at_once = self.AT_ONCE or isinstance(event, PagedList.Landed)
            (self.show_now if at_once else self.show_soon)()

    def step_back(self) -> bool:
        """Return from the detail to the list. Return False if the focus is not in the detail."""
        inside = self.has_focus_within and not self.listed.has_focus
        if inside:
            self.listed.focus()
        return inside
