"""Help: what the focused part is, the keys that work there, and what the signals mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from rich.text import Text
from textual.widgets import Static

from ark_tui.faces.tui import actions
from ark_tui.faces.tui.parts import ink
from ark_tui.faces.tui.screens.dialog import Dialog, Page

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from textual.app import ComposeResult

    from ark_tui.domain.hits import SignalInfo
    from ark_tui.faces.tui.actions import Action, Scope
    from ark_tui.faces.tui.app import ArkApp

KEYS = 14  # cells of the column of keys


class HelpScreen(Dialog[None]):
    """The keys of the present moment."""

    def __init__(
        self, scopes: Sequence[Scope], parts: Sequence[tuple[str, str]], signals: Mapping[str, SignalInfo]
    ) -> None:
        super().__init__()
        self._scopes = scopes
        self._parts = parts
        self._signals = signals

    def compose(self) -> ComposeResult:
        with Page(classes="box") as page:
            page.border_title = "Help"
            page.border_subtitle = self.closes
            yield Static(self._text())

    def _text(self) -> Text:
        text = Text()
        for name, about in self._parts:
            text.append(f"{name.capitalize()}\n", "bold")
            text.append(f"{about}\n\n")
        table = cast("ArkApp", self.app).actions
        for scope in self._scopes:
            text.append_text(keys_of(scope, table))
        if self._signals:
            text.append("Signals\n", "bold")
            for info in self._signals.values():
                text.append(f"{info.letter} {info.name}".ljust(KEYS), ink.family(self, info.family))
                text.append(f"{info.about}\n")
        text.rstrip()
        return text


def keys_of(scope: Scope, table: Sequence[Action]) -> Text:
    """The keys of a scope, one line each."""
    text = Text.assemble((f"{actions.SCOPE_TITLES[scope]}\n", "bold"))
    for action in (one for one in table if one.scope == scope):
        text.append(actions.displayed(action).ljust(KEYS))
        text.append(f"{action.help}\n", "not bold")
    text.append("\n")
    return text
