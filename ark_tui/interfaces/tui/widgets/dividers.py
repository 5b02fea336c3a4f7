"""Where one part of a pane ends and the next begins: dragged by the border, or moved by keys, and kept.

A place that was chosen is a rule of style for one layout (narrow, normal, wide), as a share of the room.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from textual.widget import Widget

if TYPE_CHECKING:
    from textual.app import App
    from textual.screen import Screen

    from ark_tui.interfaces.tui.state.context import PaneContext

PARTS = (
    "Hits Results", "Hits Breakdown", "LibraryPane.-documents #views", "NotebookPane Pad",
    "HistoryView PagedList", "HistoryView Finds", "AnalysisPane Measures", "AnalysisPane Found",
    "SettingsPane Sections", "SettingsPane #about",
)  # fmt: skip
"""The parts whose size can be chosen; what is beside each takes the rest."""

LAYOUTS = ("-narrow", "-normal", "-wide")
LEAST = {"width": 12, "height": 4}
"""Cells that are left to the parts on both sides."""

STEP = {"width": 4, "height": 2}
"""Cells that a key moves it by."""

_KEPT = re.compile(r"([\w-]+) (.+) (width|height) (\d\d?\.\d)")


class Divider(NamedTuple):
    """A border between a part and the one beside it."""

    part: Widget
    selector: str
    side: Literal["width", "height"]
    after: bool  # the other one comes after the part

    @property
    def size(self) -> int:
        """Cells of the part."""
        return int(getattr(self.part.outer_size, self.side))

    @property
    def room(self) -> int:
        """Cells of both together."""
        assert isinstance(self.part.parent, Widget)
        return int(getattr(self.part.parent.size, self.side))

    def is_at(self, x: int, y: int) -> bool:
        """Whether a place of the screen is on the border, of which each side has a line."""
        region = self.part.region
        along, line = (x, y) if self.side == "width" else (y, x)
        start, end = (region.x, region.right) if self.side == "width" else (region.y, region.bottom)
        low, high = (region.y, region.bottom) if self.side == "width" else (region.x, region.right)
        return along in ((end - 1, end) if self.after else (start - 1, start)) and low <= line < high

    def drag(self, x: int, y: int) -> None:
        """Let the part end where the pointer is."""
        region = self.part.region
        at, start, end = (x, region.x, region.right) if self.side == "width" else (y, region.y, region.bottom)
        self.resize(at - start + 1 if self.after else end - at)

    def resize(self, cells: int) -> None:
        """Give the part so many cells, as far as both parts keep some."""
        least = LEAST[self.side]
        setattr(self.part.styles, self.side, max(least, min(cells, self.room - least)))

    def kept(self, layout: str) -> str:
        """How the place is remembered."""
        size = getattr(self.part.styles, self.side)
        share = 100 * (size.value if size.is_cells else self.size) / max(1, self.room)
        self.part.styles.inline.clear_rule(self.side)
        return f"{layout} {self.selector} {self.side} {max(1, min(share, 99)):.1f}"


def shown(screen: Screen[object]) -> Iterator[Divider]:
    """The dividers that are on the screen."""
    for selector in PARTS:
        for part in screen.query(selector):
            if not part.region.area or not isinstance(part.parent, Widget):
                continue
            around = [one for one in part.parent.displayed_children if one.region.area]
            place = around.index(part)
            for other in around[place + 1 : place + 2] or around[max(0, place - 1) : place]:
                side: Literal["width", "height"] = "width" if other.region.y == part.region.y else "height"
                yield Divider(part, selector, side, after=other.region.offset > part.region.offset)


def lay_out(app: App[Any], kept: str) -> None:
    """Size the parts as it is remembered; what is not of here counts for nothing."""
    found = []
    for line in kept.splitlines():
        match = _KEPT.fullmatch(line)
        if match and match[1] in LAYOUTS and match[2] in PARTS:
            side, share = match[3], match[4]
            size = f"{side}: {share}% !important; min-{side}: 1 !important; max-{side}: 100% !important;"
            found.append(f".{match[1]} {match[2]} {{ {size} }}")
    app.stylesheet.add_source("\n".join(found), read_from=("sizes", ""))


class Dividers:
    """Those of a screen, and the one that is being dragged."""

    def __init__(self, screen: Screen[Any], context: PaneContext) -> None:
        self._screen = screen
        self._context = context
        self._held: Divider | None = None

    def take(self, x: int, y: int) -> None:
        """The mouse was pressed: on a border between two parts it moves that until it is let go."""
        found = () if self._screen.maximized else shown(self._screen)
        self._held = next((one for one in found if one.is_at(x, y)), None)
        if self._held is not None:
            self._screen.capture_mouse()

    def drag(self, x: int, y: int) -> None:
        """The mouse was moved."""
        if self._held is not None:
            self._held.drag(x, y)

    def let_go(self) -> None:
        """The mouse was let go."""
        if self._held is not None:
            self._screen.release_mouse()
            self._keep(self._held)
            self._held = None

    def step(self, sign: int) -> None:
        """Move the divider beside what has the focus, or the next one around it."""
        screen = self._screen
        around = list(screen.focused.ancestors_with_self) if screen.focused is not None else []
        parents = [node.parent for node in around]
        beside = [one for one in shown(screen) if one.part.parent in parents]
        if not beside or screen.maximized:
            self._context.say("This part has the whole pane.")
            return
        divider = min(beside, key=lambda one: parents.index(one.part.parent))
        divider.resize(divider.size + STEP[divider.side] * (sign if divider.part in around else -sign))
        self._keep(divider)

    def _keep(self, divider: Divider) -> None:
        layout = next(one for one in LAYOUTS if self._screen.has_class(one))
        self._context.remember(sizes=replaced(self._context.remembered.sizes, divider.kept(layout)))
        lay_out(self._screen.app, self._context.remembered.sizes)
        self._screen.app.refresh_css(animate=False)


def replaced(kept: str, fresh: str) -> str:
    """What is remembered, with another place of one divider."""
    about = fresh.rpartition(" ")[0]
    return "\n".join([*(one for one in kept.splitlines() if one.rpartition(" ")[0] != about), fresh])
