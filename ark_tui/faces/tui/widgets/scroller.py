"""Lines to read: scrolled with the keys of lists, drawn one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ark_tui.faces.tui.state import actions
from ark_tui.faces.tui.widgets.drawn import Drawn
from ark_tui.faces.tui.widgets.movement import Scrolling

if TYPE_CHECKING:
    from textual.binding import BindingType


class Scroller(Scrolling, Drawn):
    """A view whose present row is the one at its top. Subclasses `hold` lines and draw them."""

    SCOPES: ClassVar[actions.Scopes] = ("move",)
    BINDINGS: ClassVar[list[BindingType]] = [*actions.bindings(*SCOPES)]
