"""The footer: keys for the current focus, most used first, as many as fit."""

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

ALWAYS = ("everywhere.back", "dialog.close", "everywhere.query", "app.help", "app.command-palette")
"""Actions that are always at the end of the footer."""

NEVER = {f"everywhere.{one}" for one in (*actions.PANES, "stop", "pause")} | {
    f"move.{one}" for one in ("first", "last", "half-down", "half-up", "page-down", "page-up")
}
"""Actions whose keys are shown elsewhere, in the tabs of the panes and in the rows of jobs, or well known."""

LATE = {"library": 1, "curation": 1, "search": 2, "move": 3, "everywhere": 4, "app": 4}
"""Sort order of the scopes, highest last. Scopes that are not listed have 0."""


BACK = ("reader", "filter")
"""Parts of the screen with a back action."""


class Footer(Widget):
    """The keys of available actions for the current focus, as clickable labels.

    Draws its line itself: Textual's footer would recreate a widget per key on each change of focus.
    """

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"footer--key", "footer--label"}

    def on_mount(self) -> None:
        self.auto_links = False  # keys and labels have their own colors
        self.screen.bindings_updated_signal.subscribe(self, lambda _: self.refresh())

    def render(self) -> Text:
        """The line with the keys available now."""
        line = Text(no_wrap=True)
        written, label = (
            self.get_component_rich_style(f"footer--{name}", partial=True) for name in ("key", "label")
        )
        for active in fitting(self._live(), self.size.width):
            press = Style(meta={"@click": f"app.simulate_key({active.binding.key!r})"})
            line.append(" " if line else "")
            line.append(self.app.get_key_display(active.binding), press + written)
            line.append(f" {active.binding.description}", press + label)
        return line

    def _live(self) -> list[ActiveBinding]:
        """The keys of available actions, one per action, from the focus outwards."""
        live: dict[str, ActiveBinding] = {}
        for active in self.screen.active_bindings.values():
            binding = active.binding
            bound = active.enabled and binding.key != actions.NO_KEY
            if bound and binding.id and binding.id not in NEVER:
                before = live.setdefault(binding.id, active)
                if binding.id.startswith("move.") and len(before.binding.key) == 1:
                    live[binding.id] = active  # prefer an arrow to a letter
        focused = self.screen.focused
        if isinstance(focused, Input):
            live.pop("everywhere.query", None)
        if focused is None or focused.id not in BACK:  # elsewhere there is usually nothing to go back to
            live.pop("everywhere.back", None)
        return list(live.values())


def fitting(live: Iterable[ActiveBinding], width: int) -> list[ActiveBinding]:
    """As many keys as fit: the most used first, the permanent ones at the end.

    The most used are those marked for the footer in the table of actions. Within each group the focused part
    comes first, then curation, then the program.
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
    """The width of a key, its label and two spaces."""
    key = active.binding.key_display or actions.display(active.binding.key)
    return len(key) + len(active.binding.description) + 2
