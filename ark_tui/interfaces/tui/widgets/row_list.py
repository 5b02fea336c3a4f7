"""A virtual list: it draws only the visible rows, so 100,000 rows cost no more than ten.

A row may be preceded by a rule, a line that describes the rows below it.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from operator import attrgetter
from textwrap import wrap
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from rich.style import Style
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from ark_tui.interfaces.tui.state import actions
from ark_tui.interfaces.tui.widgets import ink
from ark_tui.interfaces.tui.widgets.scrolling import Drawn

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from textual import events


Row = TypeVar("Row")


class RowList(Drawn):
    """Rows of equal height with a cursor. Subclasses provide their number and the content of each line."""

    SCOPES: ClassVar[actions.Scopes] = ("move",)
    BINDINGS: ClassVar[actions.Bindings] = actions.bindings(*SCOPES)
    ROW_HEIGHT: int = 1
    KEY: ClassVar[str] = ""
    """The attribute of a row that identifies it after a reload: `id`, `hit.document.id`. Empty: none does."""

    rules: Mapping[int, str] = MappingProxyType({})  # by the row below the rule
    empty: str = ""  # text of an empty list
    _back_to: tuple[int, str] | None = None  # the row to return to, with its key
    _some = False  # whether there are rows

    cursor: reactive[int] = reactive(0, repaint=False)
    dimmed: reactive[bool] = reactive(False)

    @dataclass
    class OfRows(Message):
        """Base class of the events of a list."""

        rows: RowList

        @property
        def control(self) -> RowList:
            return self.rows

    class Moved(OfRows):
        """The cursor has moved, or the data of its row has arrived."""

    class Chosen(OfRows):
        """A row was chosen, by enter or by a second click."""

    @property
    @abstractmethod
    def count(self) -> int:
        """The number of rows."""

    @abstractmethod
    def line(self, row: int, part: int, width: int) -> list[ink.Piece]:
        """The pieces of a line of a row. `part`: the line within the row, from 0."""

    @property
    def row(self) -> int:
        return self.cursor

    @property
    def last_row(self) -> int:
        return self.count - 1

    @property
    def page(self) -> int:
        return max(1, self.scrollable_content_region.height // self.ROW_HEIGHT)

    def move_to(self, row: int) -> None:
        self.cursor = row

    def validate_cursor(self, cursor: int) -> int:
        return max(0, min(cursor, self.count - 1))

    def watch_cursor(self, before: int, now: int) -> None:
        self.show_row(now)
        self.refresh()
        if before != now:
            self.post_message(self.Moved(self))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enable opening only with a row."""
        return bool(self.count) if action == "open" else super().check_action(action, parameters)

    def action_open(self) -> None:
        if self.count:
            self.post_message(self.Chosen(self))

    def show_row(self, row: int) -> None:
        """Scroll the minimum distance that makes a row completely visible."""
        top, height = self.top_of(row), self.scrollable_content_region.height
        if height <= 0:
            return
        if top - (row in self.rules) < self.scroll_offset.y:
            self.scroll_to(y=top - (row in self.rules), animate=False, immediate=True)
        elif top + self.ROW_HEIGHT > self.scroll_offset.y + height:
            self.scroll_to(y=top + self.ROW_HEIGHT - height, animate=False, immediate=True)

    def top_of(self, row: int) -> int:
        """The first line of a row."""
        return row * self.ROW_HEIGHT + sum(at <= row for at in self.rules)

    def at_line(self, line: int) -> tuple[int, int]:
        """The row of a line, and the line within the row; −1 for the rule above it."""
        above = 0
        for row in sorted(self.rules):
            if line == self.top_of(row) - 1:
                return row, -1
            above += line >= self.top_of(row)
        return divmod(line - above, self.ROW_HEIGHT)

    def rows_changed(self) -> None:
        """The content or the number of rows has changed."""
        self.hold(self.count * self.ROW_HEIGHT + len(self.rules))
        if self._some != (self.count > 0):
            self._some = self.count > 0
            self.refresh_bindings()  # row actions become available or unavailable
        if self._back_to is not None and self.count:
            (row, name), self._back_to = self._back_to, None
            self.cursor = next((one for one in self.rows_here() if name and self.known_as(one) == name), row)

    def key_of(self, row: Any) -> str:
        """The key of a row; empty if only its index identifies it."""
        return str(attrgetter(self.KEY)(row)) if self.KEY else ""

    def known_as(self, _row: int) -> str:
        """The key of the row with an index; empty if it is not loaded."""
        return ""

    def rows_here(self) -> Iterable[int]:
        """The rows that are loaded."""
        return range(self.count)

    def render_line(self, y: int) -> Strip:
        row, part = self.at_line(y + self.scroll_offset.y)
        width = self.scrollable_content_region.width
        base = self.base
        if not self.count:
            return self._nothing(y, width)
        if part < 0:
            said = ink.shorten(self.rules[row], width - len(" ──  ─"))
            return ink.strip([(f" ── {said} ".ljust(width - 1, "─"), self.ink("muted"))], width, base)
        if row >= self.count:
            return Strip.blank(width, base)
        mark = (" ", Style.null())
        if row == self.cursor:
            base = self._cursor_ground(part)
            mark = (
                "▌",
                self.ink("accent")
                + Style(reverse=False, bgcolor=self.base.bgcolor if base.reverse else None),
            )
        if self.dimmed:
            base += Style(dim=True)
        pieces = self.line(row, part, width - 2)
        if base.reverse:  # colors would become backgrounds, each a different one
            plain = Style(color=base.color or "default")
            pieces = [(text, style + plain) for text, style in pieces]
        return ink.strip([mark, *pieces, (" ", Style.null())], width, base)

    def empty_lines(self, width: int) -> list[str]:
        """The lines of an empty list, for a width in cells."""
        return wrap(self.empty, max(10, width - 2))

    def _nothing(self, y: int, width: int) -> Strip:
        lines = self.empty_lines(width)
        return ink.strip([(f" {lines[y]}" if y < len(lines) else "", self.ink("muted"))], width, self.base)

    def _cursor_ground(self, part: int) -> Style:
        """The background of the cursor. Sixteen-color terminals have no suitable shade, so it is reversed."""
        if self.app.native_ansi_color or self.app.console.color_system == "standard":
            return self.base + Style(reverse=self.has_focus and part == 0)
        return self.ground("cursor" if self.has_focus else "cursor-blurred")

    def on_resize(self) -> None:
        self.rows_changed()
        self.call_after_refresh(lambda: self.show_row(self.cursor))  # at its position at that time

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None:
            return
        row, part = self.at_line(offset.y + self.scroll_offset.y)
        if row >= self.count or part < 0:
            return
        if row == self.cursor:
            self.post_message(self.Chosen(self))
        self.move_to(row)


class Rows(RowList, Generic[Row]):
    """A list of rows that are all loaded."""

    def __init__(self, id: str) -> None:  # noqa: A002 - as Textual calls it
        super().__init__(id)
        self.rows: tuple[Row, ...] = ()

    @abstractmethod
    def pieces(self, row: Row, part: int, width: int) -> list[ink.Piece]:
        """The pieces of a line of a row. `part`: the line within the row, from 0."""

    @property
    def count(self) -> int:
        return len(self.rows)

    @property
    def here(self) -> Row | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if self.cursor < self.count else None

    def put(self, rows: Iterable[Row], *, keep: bool = False) -> None:
        """List rows from the first one, or `keep` the cursor on its row, else at its index."""
        here = self.here if keep else None
        before = self.key_of(here) if here is not None else ""
        self.rows = tuple(rows)
        if not keep:
            self.cursor = 0
        self.rows_changed()
        if keep:
            same = (number for number, one in enumerate(self.rows) if before and self.key_of(one) == before)
            self.cursor = next(same, self.cursor)

    def known_as(self, row: int) -> str:
        return self.key_of(self.rows[row])

    def line(self, row: int, part: int, width: int) -> list[ink.Piece]:
        return self.pieces(self.rows[row], part, width)
