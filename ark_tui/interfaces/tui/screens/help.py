"""Help: what the focused part is, the keys that work there, and what the signals mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.table import Table
from rich.text import Text
from textual.widget import Widget

from ark_tui.interfaces.tui.screens.dialog import TextDialog
from ark_tui.interfaces.tui.state import actions
from ark_tui.interfaces.tui.widgets import ink

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from textual.screen import Screen

    from ark_tui.domain.hits import SignalInfo
    from ark_tui.interfaces.tui.state.actions import Action, Scope
    from ark_tui.interfaces.tui.state.context import PaneContext

KEYS = 14  # cells of the column of keys


class HelpScreen(TextDialog[None]):
    """The keys of the present moment: those of what is focused on a screen, and of what that is in."""

    called = "Help"

    def __init__(self, context: PaneContext, screen: Screen[Any], signals: Mapping[str, SignalInfo]) -> None:
        super().__init__(context)
        around = (screen.focused or screen).ancestors_with_self
        found = (scope for node in around for scope in actions.scopes_of(node))
        self._scopes = tuple(dict.fromkeys(found))
        self._parts = [
            (str(node.BORDER_TITLE or node.id), node.HELP)
            for node in around
            if isinstance(node, Widget) and node.HELP
        ]
        self._signals = signals

    def text(self) -> Group:
        said: list[Text | Table] = []
        for name, about in self._parts:
            said += [Text(name.capitalize(), "bold"), Text(f"{about}\n")]
        table = self.context.keymap.actions
        for scope in self._scopes:
            said += [Text(actions.SCOPE_TITLES[scope], "bold"), keys_of(scope, table), Text()]
        if self._signals:
            signals = _columns()
            for info in self._signals.values():
                signals.add_row(Text(f"{info.letter} {info.name}", ink.family(self, info.family)), info.about)
            said += [Text("Signals", "bold"), signals]
        return Group(*said)


def keys_of(scope: Scope, table: Sequence[Action]) -> Table:
    """The keys of a scope, and what each does beside it."""
    keys = _columns()
    for action in (one for one in table if one.scope == scope):
        keys.add_row(actions.displayed(action), action.help)
    return keys


def _columns() -> Table:
    columns = Table.grid(padding=(0, 1))
    columns.add_column(width=KEYS - 1)
    columns.add_column(ratio=1)
    return columns
