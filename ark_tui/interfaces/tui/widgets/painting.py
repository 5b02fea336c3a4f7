"""What has changed on a screen is painted, whoever looks at it first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual._compositor import Compositor, CompositorMap, ReflowResult

if TYPE_CHECKING:
    from textual.geometry import Size
    from textual.widget import Widget


class Changes(Compositor):
    """Textual's (8.2.8), which forgets changes that somebody asks about before they are painted.

    Where a widget comes or goes and the place of any is looked up before the next layout, the map of all
    widgets may be made anew, and that layout finds no difference to paint: a message that had gone stayed on
    the screen until the next key. Here a layout is compared with the layout before it.
    """

    _laid_out: CompositorMap | None = None

    def reflow(self, parent: Widget, size: Size) -> ReflowResult:
        if self._laid_out is not None:
            self._full_map = self._laid_out
        changed = super().reflow(parent, size)
        self._laid_out = self._full_map
        return changed
