"""The footer: the keys of what has the focus, the most used first, as many as there is room for."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.style import Style
from rich.text import Text
from textual.widget import Widget
from textual.widgets import Input

from ark_tui.interfaces.tui.state import actions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.binding import ActiveBinding
    from textual.events import Leave, MouseDown, MouseMove

ALWAYS = ("everywhere.back", "dialog.close", "everywhere.query", "app.help", "app.command-palette")
"""Actions that stand at the end of the line whatever else there is."""

NEVER = {f"everywhere.{one}" for one in (*actions.PANES, "stop", "pause")}
"""Actions whose keys stand elsewhere: in the tabs of the panes, and in the rows of long work."""

LATE = {"library": 1, "curation": 1, "search": 2, "move": 3, "everywhere": 4, "app": 4}
"""How late the actions of a scope come, the highest last; those of any other scope: 0."""


BACK = ("reader", "filter")
"""Parts of the screen that one goes back from."""

KEY = "footer_key"
"""The name under which a piece of the line says whose key it is."""


class Footer(Widget):
    """The keys that lead somewhere from where the focus is, to be clicked.

    One widget that draws its line itself: Textual's own is made anew, a widget to a key, with every focus.
    """

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"footer--key", "footer--label", "footer--under-mouse"}

    def __init__(self) -> None:
        super().__init__()
        self._keys: dict[str, ActiveBinding] = {}
        self._under_mouse = ""

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, lambda _: self.refresh())

    def render(self) -> Text:
        """The line, of the keys that there are at this moment."""
        self._keys = {one.binding.key: one for one in fitting(self._live(), self.size.width)}
        line = Text(no_wrap=True)
        written, label, pointed = (
            self.get_component_rich_style(f"footer--{name}", partial=True)
            for name in ("key", "label", "under-mouse")
        )
        for key, active in self._keys.items():
            base = Style(meta={KEY: key})
            base += pointed if key == self._under_mouse else Style.null()
            line.append(" " if line else "")
            line.append(self.app.get_key_display(active.binding), base + written)
            line.append(f" {active.binding.description}", base + label)
        return line

    def on_mouse_down(self, event: MouseDown) -> None:
        active = self._keys.get(event.style.meta.get(KEY, ""))
        if active is not None:
            self.app.simulate_key(active.binding.key)

    def on_mouse_move(self, event: MouseMove) -> None:
        self._point_at(event.style.meta.get(KEY, ""))

    def on_leave(self, event: Leave) -> None:
        del event
        self._point_at("")

    def _point_at(self, key: str) -> None:
        if key != self._under_mouse:
            self._under_mouse = key
            active = self._keys.get(key)
            self.tooltip = active.tooltip if active is not None else None
            self.refresh()

    def _live(self) -> list[ActiveBinding]:
        """The keys that lead somewhere from where the focus is: one to an action, from the focus outwards."""
        live: dict[str, ActiveBinding] = {}
        for active in self.screen.active_bindings.values():
            binding = active.binding
            bound = active.enabled and binding.key != actions.NO_KEY
            if bound and binding.id and binding.id not in NEVER:
                before = live.setdefault(binding.id, active)
                if binding.id.startswith("move.") and len(before.binding.key) == 1:
                    live[binding.id] = active  # an arrow rather than a letter
        focused = self.screen.focused
        if isinstance(focused, Input):
            live.pop("everywhere.query", None)
        if focused is None or focused.id not in BACK:  # elsewhere there is mostly nothing to go back from
            live.pop("everywhere.back", None)
        return list(live.values())


def fitting(live: Iterable[ActiveBinding], width: int) -> list[ActiveBinding]:
    """As many keys as a line has room for: the most used first, and those that always stand there last.

    The most used are those that the table of actions marks for the footer. Among them, and among the others,
    the focused part comes before curation, and that before the program.
    """
    known = list(live)
    last = [one for id_ in ALWAYS for one in known if one.binding.id == id_]
    room = width - sum(map(_cells, last))
    first: list[ActiveBinding] = []
    for one in sorted((one for one in known if one not in last), key=_rank):
        if _cells(one) <= room:
            room -= _cells(one)
            first.append(one)
    return [*first, *last]


def _rank(one: ActiveBinding) -> tuple[bool, int]:
    return not one.binding.show, LATE.get((one.binding.id or "").partition(".")[0], 0)


def _cells(active: ActiveBinding) -> int:
    """A key, its label, a space between them and one behind."""
    key = active.binding.key_display or actions.display(active.binding.key)
    return len(key) + len(active.binding.description) + 2
