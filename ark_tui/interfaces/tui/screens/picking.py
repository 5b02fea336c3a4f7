"""The picker: choose by fuzzy search, with a preview. Palette, help and themes are pickers, too."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from itertools import chain
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from rich.text import Text
from textual import getters, on
from textual.containers import Vertical
from textual.widget import Widget
from textual.widgets import Input, Static

from ark_tui.domain.display import visible_line
from ark_tui.domain.errors import ArkError
from ark_tui.interfaces.tui.screens.dialog import Dialog
from ark_tui.interfaces.tui.state import actions, strings
from ark_tui.interfaces.tui.state.names import Choice, Names, closeness, saved
from ark_tui.interfaces.tui.widgets import ink
from ark_tui.interfaces.tui.widgets.choices import Choices
from ark_tui.interfaces.tui.widgets.footing import LATE
from ark_tui.interfaces.tui.widgets.query_line import Entry
from ark_tui.interfaces.tui.widgets.row_list import RowList

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from textual import events
    from textual.app import ComposeResult
    from textual.await_complete import AwaitComplete
    from textual.dom import DOMNode
    from textual.screen import Screen

    from ark_tui.domain.hits import SignalInfo
    from ark_tui.interfaces.tui.state.actions import Action, Scope
    from ark_tui.interfaces.tui.state.client import Client
    from ark_tui.interfaces.tui.state.context import PaneContext


MOVES = {
    "down": RowList.action_row_down,
    "up": RowList.action_row_up,
    "pagedown": RowList.action_page_down,
    "pageup": RowList.action_page_up,
    "ctrl+d": RowList.action_half_down,
    "ctrl+n": RowList.action_row_down,
}
"""Keys that move in the list while the input has the focus."""

TALLEST = 20
"""Rows of the list if the window is large enough."""

EDGE = 6
"""Cells of a border around its text."""

LOW, HIGH = 2, 4
"""Lines of the preview in a small and in a large window."""


class PickScreen(Dialog[Choice]):
    """An input, the filtered list, and a preview below. Returns the chosen item."""

    AUTO_FOCUS = "Input"

    line = getters.query_one(Input)
    choices = getters.query_one(Choices)
    seen = getters.query_one("#preview", Static)

    def __init__(
        self, context: PaneContext, title: str, names: Names, value: str = "", cursor: int = 0
    ) -> None:
        """`value`: the initial text. `cursor`: the initial row."""
        super().__init__(context)
        self._title, self.names, self._value, self._first = title, names, value, cursor
        self._known: Sequence[Choice] | None = None  # until they are loaded
        self._narrowed: str | None = None  # the text that the rows match
        self._count = 0, 0  # number of matches, and of all items
        self._taken = False  # enter was pressed before the rows matched the text

    def compose(self) -> ComposeResult:
        with self.box(self._title, f"⏎ {self.names.does}"):
            yield Entry(self._value, placeholder=self.names.hint, select_on_focus=False)
            yield Choices("choices")
            yield Static(id="preview")

    def on_mount(self) -> None:
        self.line.cursor_blink = False
        self.choices.can_focus = False  # a click on a row keeps the focus in the input
        self.seen.display = self.names.looks
        self.request(self.names.read, self._read, self._fail, group="names")

    def _fail(self, error: ArkError) -> None:
        self.dismiss()
        self.context.say_error(error)

    def _read(self, known: Sequence[Choice]) -> None:
        self._known = known
        self._narrow()
        if self.names.slow:
            self.request(self.names.read_more, self._read_more, group="more")

    def _read_more(self, known: Sequence[Choice]) -> None:
        """Show what took longer to load; the cursor stays on its row."""
        self._known, self._narrowed, self._first = known, None, self.choices.cursor
        self._narrow()

    @on(Input.Changed)
    def _narrow(self) -> None:
        """Filter in a thread: there may be 100,000 items, or a slow disk."""
        if (known := self._known) is not None:
            typed = self.line.value
            self.request(
                lambda _: self.names.fitting(typed, known),
                lambda found: self._show(typed, found),
                group="narrow",
            )

    def _show(self, typed: str, found: Sequence[Choice]) -> None:
        first = self._narrowed is None
        self._narrowed = typed
        self.choices.empty = self.names.nothing if self._known and typed.strip() else self.names.empty
        self.choices.show(found, grouped=not typed.strip())
        self.choices.cursor = self._first if first else 0
        self._count = len(found), len(self._known or ())
        self._fit()
        self._say()
        self._look()
        if self._taken:
            self._pick()

    def _say(self) -> None:
        """Show the keys on the border, preceded by the count if there is space."""
        fitting, of = self._count
        count = f"{fitting:,} of {of:,} · " if fitting <= of else ""  # the typed text may be an extra row
        box, keys = self.query_one(".box", Vertical), f"⏎ {self.names.does} · {self.closes}"
        box.border_subtitle = count + keys if len(count + keys) <= box.outer_size.width - EDGE else keys

    def on_resize(self) -> None:
        self._fit()
        if self._narrowed is not None:
            self.call_after_refresh(self._say)

    def _fit(self) -> None:
        """Fit the number of rows to the items and the window. Fewer items never move the box."""
        height = self.app.size.height
        seen = (HIGH if height >= TALLEST + HIGH else LOW) if self.names.looks else 0
        self.seen.styles.height = seen
        room = height * 92 // 100 - 6 - (seen + 1 if seen else 0)
        said = self.choices.empty_lines(self.choices.size.width) if not self.choices.count else []
        most = max(self.choices.virtual_size.height, len(said))
        before = self.choices.styles.height
        rows = max(most, int(before.value) if before is not None else 1)
        self.choices.styles.height = max(1, min(rows, TALLEST, room))

    @on(RowList.Moved)
    def _look(self) -> None:
        """Load the preview of the choice under the cursor."""
        here = self.choices.here
        self.moved_to(here)
        if not self.names.looks:
            return
        if here is None or here.preview:
            self._see(here.preview if here else "")
        else:
            preview = partial(self.names.preview, choice=here)
            self.request(preview, self._see, lambda _: self._see(""), group="preview")

    def _see(self, text: str) -> None:
        """Show a preview, cut to the available space."""
        width, height = self.seen.size or (1, 1)
        lines = [line for part in text.splitlines() for line in wrap(visible_line(part), max(1, width))]
        if len(lines) > height > 0:
            lines = [*lines[: height - 1], ink.shorten(f"{lines[height - 1]} …", width)]
        self.seen.update(Text("\n".join(lines)))

    def moved_to(self, choice: Choice | None) -> None:
        """The cursor has moved to a choice."""

    def on_key(self, event: events.Key) -> None:
        if not self.line.has_focus:
            return
        if event.key == "tab":
            if (here := self.choices.here) is not None and self._narrowed == self.line.value:
                self.line.value = self.names.completed(here)
                self.line.cursor_position = len(self.line.value)
        elif event.key in MOVES:
            MOVES[event.key](self.choices)
        else:
            return
        event.prevent_default()
        event.stop()

    @on(Input.Submitted)
    @on(RowList.Chosen)
    def _pick(self) -> None:
        self._taken = self._narrowed != self.line.value
        here = self.choices.here
        if not self._taken and here is not None and here.name:
            self.dismiss(here)


SILENT = {"app.command-palette", "dialog.close"}
"""Actions without use in the palette: opening it, and closing."""

ABOVE = {"dialog", "ask", "note", "queue", "merge", "lab"}
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
            *(_command(one, "works here") for one in near),
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
            Choice(f"Saved search: {one.label}", "", f"{SAVED_SEARCH}{one.name}", one.about) for one in found
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
            [Choice(one, "in use" if one == here else "", f"{THEME}{one}") for one in themes], "use"
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
    about = strings.KEY_ABOUT.format(help=action.help, name=action.id)
    return Choice(label, action.label, f"{ACTION}{action.id}", about, group=group)


def _parts(screen: Screen[Any]) -> Iterator[Choice]:
    for node in (screen.focused or screen).ancestors_with_self:
        if isinstance(node, Widget) and node.HELP:
            name = str(node.BORDER_TITLE or node.id).capitalize()
            yield Choice(f"{name:<{KEYS}} {node.HELP}", preview=node.HELP, group=strings.GROUP_ABOUT)


def _signals(signals: Mapping[str, SignalInfo]) -> Iterator[Choice]:
    for info in signals.values():
        label = f"{info.letter} {info.name:<{KEYS - 2}} {info.about}"
        yield Choice(label, preview=info.about, group="Signals")
