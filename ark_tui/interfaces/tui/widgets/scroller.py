"""Lines to read: scrolled with the keys of lists, drawn one by one."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from textual.containers import VerticalScroll
from textual.widget import Widget

from ark_tui.interfaces.tui.state import actions
from ark_tui.interfaces.tui.widgets import ink
from ark_tui.interfaces.tui.widgets.aiming import Aiming
from ark_tui.interfaces.tui.widgets.drawn import Drawn
from ark_tui.interfaces.tui.widgets.movement import Movement

if TYPE_CHECKING:
    from textual.strip import Strip

Line = list[ink.Piece]


class Scrolled(Movement, Widget if TYPE_CHECKING else object):  # type: ignore[misc]
    """A view whose present row is the one at its top."""

    @property
    def row(self) -> int:
        return round(float(self.scroll_target_y))

    @property
    def last_row(self) -> int:
        return int(self.max_scroll_y)

    @property
    def page(self) -> int:
        return max(1, int(self.scrollable_content_region.height))

    def move_to(self, row: int) -> None:
        self.scroll_to(y=max(0, min(row, self.last_row)), animate=False, immediate=True)


class ScrolledText(Scrolled, Aiming, VerticalScroll, can_focus=True):
    """Text that may be longer than its place, gone through with the keys of lists."""

    BINDINGS: ClassVar[actions.Bindings] = actions.bindings("move")


class Scroller(Scrolled, Drawn):
    """Lines to read. Subclasses `hold` them and draw them."""

    SCOPES: ClassVar[actions.Scopes] = ("move",)
    BINDINGS: ClassVar[actions.Bindings] = actions.bindings(*SCOPES)


class Written(Scroller):
    """A view of a few lines, all of which are made anew for a width or a theme."""

    def __init__(self, id: str) -> None:  # noqa: A002 - as Textual calls it
        super().__init__(id)
        self._lines: list[Line] = []

    @abstractmethod
    def made(self, width: int) -> Iterator[Line]:
        """The lines for a width in cells."""

    def lay_out(self) -> None:
        """Make the lines anew; there are none before there is room for them."""
        width = self.scrollable_content_region.width
        self._lines = list(self.made(width)) if self.is_attached and width > 0 else []
        self.hold(len(self._lines))

    def on_resize(self) -> None:
        self.lay_out()

    def notify_style_update(self) -> None:
        """The theme has changed, and the lines carry its colours."""
        super().notify_style_update()
        self.lay_out()

    def render_line(self, y: int) -> Strip:
        row, width = y + self.scroll_offset.y, self.scrollable_content_region.width
        return ink.strip(self._lines[row] if row < len(self._lines) else [], width, self.base)
