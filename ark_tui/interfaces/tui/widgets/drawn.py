"""What lists and readers have in common: they draw their lines themselves, and only those in view."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.geometry import Size
from textual.reactive import Reactive
from textual.scroll_view import ScrollView

from ark_tui.interfaces.tui.widgets import ink as theme
from ark_tui.interfaces.tui.widgets.aiming import Aiming
from ark_tui.interfaces.tui.widgets.movement import Movement

if TYPE_CHECKING:
    from rich.style import Style

    from ark_tui.interfaces.tui.state.colours import Name


class Drawn(Movement, Aiming, ScrollView, can_focus=True):
    """A scroll view of lines.

    What it holds may change with every key: so that lays nothing out anew, and no style is looked up twice.
    """

    virtual_size = Reactive(Size(0, 0), layout=False)

    def __init__(self, id: str) -> None:  # noqa: A002 - as Textual calls it
        super().__init__(id=id)
        self._styles_known: dict[str, Style] = {}

    def notify_style_update(self) -> None:
        """The theme or the focus has changed."""
        super().notify_style_update()
        self._styles_known.clear()

    def hold(self, lines: int) -> None:
        """Say how many lines there are; the scroll bar, which is always there, follows."""
        size = Size(self.scrollable_content_region.width, lines)
        if size != self.virtual_size:
            self.virtual_size = size
            self._scroll_update(size)
        self.refresh()

    # -- styles --------------------------------------------------------------------------------------

    @property
    def base(self) -> Style:
        """What every line begins with."""
        known = self._styles_known
        return known.get("") or known.setdefault("", self.rich_style)

    def ink(self, name: Name) -> Style:
        """A style of the theme without its background, to be laid over that of the line."""
        known = self._styles_known
        return known.get(name) or known.setdefault(name, theme.ink(self, name))

    def ground(self, name: Name) -> Style:
        """A style of the theme with its background."""
        known, key = self._styles_known, f"on {name}"
        return known.get(key) or known.setdefault(key, theme.ground(self, name))

    def family(self, name: str) -> Style:
        """The colour of a family of signals."""
        known, key = self._styles_known, f"family {name}"
        return known.get(key) or known.setdefault(key, theme.family(self, name))
