"""The footer, and what it has room for: keys of the focused part and of the program come before others."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from rich.style import Style
from rich.text import Text
from textual.widget import Widget

from ark_tui.interfaces.tui.state import actions

if TYPE_CHECKING:
    from textual.binding import ActiveBinding
    from textual.events import Leave, MouseDown, MouseMove
    from textual.screen import Screen

LAST = {"curation": 2, "everywhere": 0, "app": 0}
"""How early the actions of a scope give way, the highest first; those of any other scope: 1."""


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
        self._stale = False

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._bindings_changed)

    def render(self) -> Text:
        line = Text(no_wrap=True)
        written, label, pointed = (
            self.get_component_rich_style(f"footer--{name}", partial=True)
            for name in ("key", "label", "under-mouse")
        )
        for key, active in self._keys.items():
            base = Style(dim=not active.enabled or None, meta={KEY: key})
            base += pointed if key == self._under_mouse else Style.null()
            line.append(" " if line else "")
            line.append(self.app.get_key_display(active.binding), base + written)
            line.append(f" {active.binding.description}", base + label)
        return line

    def on_mouse_down(self, event: MouseDown) -> None:
        active = self._keys.get(event.style.meta.get(KEY, ""))
        if active is None:
            return
        if active.enabled:
            self.app.simulate_key(active.binding.key)
        else:
            self.app.bell()

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

    def _bindings_changed(self, screen: Screen[object]) -> None:
        if screen.app.app_focus and not self._stale:
            self._stale = True
            self.call_after_refresh(self._look)

    def _look(self) -> None:
        """See which keys there are now."""
        self._stale = False
        keys: dict[str, ActiveBinding] = {}  # one to an action
        for active in self.screen.active_bindings.values():
            if active.binding.show:
                keys.setdefault(active.binding.action, active)
        keys = {active.binding.key: active for active in keys.values()}
        if list(keys.items()) != list(self._keys.items()):
            self._keys = keys
            self.refresh()


def fitting(bindings: dict[str, ActiveBinding], width: int) -> dict[str, ActiveBinding]:
    """The bindings, so many of them shown that a footer `width` cells wide cuts no key off."""
    shown: dict[str, list[str]] = {}  # keys by the id of the action
    for key, active in bindings.items():
        if active.binding.show:
            shown.setdefault(active.binding.id or key, []).append(key)
    cells = {id_: _cells(bindings[keys[0]]) for id_, keys in shown.items()}
    hidden: set[str] = set()
    for _, _, id_ in sorted(((_rank(one), place, one) for place, one in enumerate(shown)), reverse=True):
        if sum(cells.values()) - 1 <= width or not _rank(id_):
            break
        hidden.update(shown[id_])
        del cells[id_]
    return {
        key: active._replace(binding=replace(active.binding, show=False)) if key in hidden else active
        for key, active in bindings.items()
    }


def _rank(id_: str) -> int:
    return LAST.get(id_.partition(".")[0], 1)


def _cells(active: ActiveBinding) -> int:
    """A key, its label, a space between them and one behind."""
    key = active.binding.key_display or actions.display(active.binding.key)
    return len(key) + len(active.binding.description) + 2
