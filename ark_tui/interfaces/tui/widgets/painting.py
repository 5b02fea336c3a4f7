"""Ensures that all layout changes are painted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual._compositor import Compositor, CompositorMap, ReflowResult

if TYPE_CHECKING:
    from textual.geometry import Size
    from textual.widget import Widget


class Changes(Compositor):
    """Textual's compositor (8.2.8), fixed: it loses changes if positions are queried before they are painted.

    If a widget is added or removed and a position is looked up before the next layout, the map of all widgets
    may be rebuilt, and that layout finds no difference: a removed message stayed on the screen until the next
    key. Here each layout is compared with the previous layout.
    """

    _laid_out: CompositorMap | None = None

    def reflow(self, parent: Widget, size: Size) -> ReflowResult:
        if self._laid_out is not None:
            self._full_map = self._laid_out
        changed = super().reflow(parent, size)
        self._laid_out = self._full_map
        return changed
