"""Lines to read: scrolled with the keys of lists, drawn one by one."""

from __future__ import annotations

from typing import ClassVar

from ark_tui.interfaces.tui.state import actions
from ark_tui.interfaces.tui.widgets.drawn import Drawn


class Scroller(Drawn):
    """A view whose present row is the one at its top. Subclasses `hold` lines and draw them."""

    SCOPES: ClassVar[actions.Scopes] = ("move",)
    BINDINGS: ClassVar[actions.Bindings] = actions.bindings(*SCOPES)

    @property
    def row(self) -> int:
        return round(self.scroll_target_y)

    @property
    def last_row(self) -> int:
        return int(self.max_scroll_y)

    @property
    def page(self) -> int:
        return max(1, self.scrollable_content_region.height)

    def move_to(self, row: int) -> None:
        self.scroll_to(y=max(0, min(row, self.last_row)), animate=False, immediate=True)
