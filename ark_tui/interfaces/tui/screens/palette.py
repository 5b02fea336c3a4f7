"""Palette, help and themes: pickers over actions, keys and colors."""

from __future__ import annotations

from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING, Any

from textual.widget import Widget

from ark_tui.domain.errors import ArkError
from ark_tui.interfaces.tui.screens.picking import PickScreen
from ark_tui.interfaces.tui.state import actions, strings
from ark_tui.interfaces.tui.state.names import Choice, Names, closeness, saved
from ark_tui.interfaces.tui.widgets.footing import LATE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from textual.await_complete import AwaitComplete
    from textual.dom import DOMNode
    from textual.screen import Screen

    from ark_tui.domain.hits import SignalInfo
    from ark_tui.interfaces.tui.state.actions import Action, Scope
    from ark_tui.interfaces.tui.state.client import Client
    from ark_tui.interfaces.tui.state.context import PaneContext

SILENT = {"app.command-palette", "dialog.close"}
"""Actions without use in the palette: opening it, and closing."""

ABOVE = {"dialog", "facts", "ask", "saved", "note", "queue", "merge", "remedies", "lab"}
"""Scopes of screens above the workbench."""

ACTION, SAVED_SEARCH, THEME = "action:", "saved:", "theme:"
"""Prefix of a choice's name, by kind."""

HERE = 1.0
"""Score bonus of an action that is available now."""

SYNONYM, HELP = 0.9, 0.4
"""Score factor of a match in a synonym or description, relative to the label."""

KEYS = 12  # width of the column of keys in the help, in cells


def scopes_around(screen: Screen[Any]) -> tuple[Scope, ...]:
    """The active scopes of a screen, from the focus outwards."""
    around: list[DOMNode] = list((screen.focused or screen).ancestors_with_self)
    return tuple(dict.fromkeys(chain.from_iterable(map(actions.scopes_of, around))))


def most_used_first(table: Sequence[Action], scopes: Sequence[Scope]) -> list[Action]:
    """The actions of some scopes: those of the footer first, then the others, from the focus outwards."""
    found = [action for scope in scopes for action in table if action.scope == scope]
    return sorted(found, key=lambda one: not one.footer)


class Commands(Names):
    """All actions, available ones first, then saved searches and themes."""

    hint = strings.PALETTE_HINT
    does = strings.DOES_RUN
    looks = True

    def __init__(self, context: PaneContext, scopes: Sequence[Scope], themes: Sequence[str] = ()) -> None:
        super().__init__()
        table = [one for one in context.keymap.actions if one.id not in SILENT]
        near = [one for one in most_used_first(table, scopes) if one.scope not in ABOVE]
        far = [one for one in table if one.scope not in {*ABOVE, *scopes}]
        self._here = {f"{ACTION}{one.id}" for one in near}
        self._label = {f"{ACTION}{one.id}": one.label for one in table}
        self._opened = context.opening.opened is not None
        self.known = [
            *(_command(one, strings.GROUP_HERE) for one in near),
            *(_command(one, "elsewhere") for one in far),
            *(Choice(f"Theme: {one}", "", f"{THEME}{one}", strings.THEME_ABOUT) for one in sorted(themes)),
        ]

    def read(self, client: Client) -> Sequence[Choice]:
        """Read the choices. If saved searches cannot be read, they are omitted."""
        found: list[Choice] = []
        if self._opened:
            with suppress(ArkError):
                found = saved(client)
        searches = (
            Choice(strings.SAVED_SEARCH.format(name=one.label), "", f"{SAVED_SEARCH}{one.name}", one.about)
            for one in found
        )
        return [*self.known, *searches]

    def score(self, typed: str, choice: Choice) -> float:
        synonyms = actions.SYNONYMS.get(choice.name.removeprefix(ACTION), "")
        best = max(
            closeness(typed, self._label.get(choice.name, "")),
            closeness(typed, choice.label),
            closeness(typed, synonyms) * SYNONYM,
            closeness(typed, choice.preview) * HELP,
        )
        return best + HERE * (choice.name in self._here) if best else 0.0


def _command(action: Action, group: str) -> Choice:
    label = f"{actions.SCOPE_TITLES[action.scope]}: {action.label}"
    return Choice(label, actions.displayed(action), f"{ACTION}{action.id}", action.help, group=group)


class Palette(PickScreen):
    """Lists all actions by name."""

    def __init__(self, context: PaneContext, screen: Screen[Any], themes: Sequence[str]) -> None:
        super().__init__(context, "Do", Commands(context, scopes_around(screen), themes))


class ThemeScreen(PickScreen):
    """The themes, with a live preview. Closing without a choice restores the previous theme."""

    def __init__(self, context: PaneContext, themes: Sequence[str], here: str) -> None:
        names = Names(
            [Choice(one, strings.IN_USE if one == here else "", f"{THEME}{one}") for one in themes],
            strings.DOES_USE,
        )
        super().__init__(context, "Color theme", names, cursor=themes.index(here) if here in themes else 0)
        self._before = here

    def moved_to(self, choice: Choice | None) -> None:
        if choice is not None and self.is_current:
            self.app.theme = choice.name.removeprefix(THEME)

    def dismiss(self, result: Choice | None = None) -> AwaitComplete:
        """Close, then apply the choice."""
        if self.is_current:
            self.app.theme = self._before
        return super().dismiss(result)


class HelpScreen(PickScreen):
    """The current keys, the focused parts, and the meaning of the signals."""

    def __init__(self, context: PaneContext, screen: Screen[Any], signals: Mapping[str, SignalInfo]) -> None:
        scopes = sorted(scopes_around(screen), key=lambda one: LATE.get(one, 0))
        table = context.keymap.actions
        known = [_key(one) for scope in scopes for one in most_used_first(table, (scope,))]
        known += [*_parts(screen), *_signals(signals)]
        super().__init__(context, "Help", Names(known, strings.DOES_RUN, looks=True))


def _key(action: Action) -> Choice:
    keys = actions.displayed(action)
    label = f"{keys:<{KEYS}} {action.help}"
    group = actions.SCOPE_TITLES[action.scope]
    return Choice(label, action.label, f"{ACTION}{action.id}", action.help, group=group)


def _parts(screen: Screen[Any]) -> Iterator[Choice]:
    for node in (screen.focused or screen).ancestors_with_self:
        if isinstance(node, Widget) and node.HELP:
            name = str(node.BORDER_TITLE or node.id).capitalize()
            yield Choice(f"{name:<{KEYS}} {node.HELP}", preview=node.HELP, group=strings.GROUP_ABOUT)


def _signals(signals: Mapping[str, SignalInfo]) -> Iterator[Choice]:
    for info in signals.values():
        label = f"{info.letter} {info.name:<{KEYS - 2}} {info.about}"
        yield Choice(label, preview=info.about, group="Signals")
