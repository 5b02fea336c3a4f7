"""The command palette: every action of the table, and the themes."""

from __future__ import annotations

from asyncio import to_thread
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, cast

from textual import work
from textual.await_complete import AwaitComplete
from textual.command import (
    Command,
    CommandInput,
    CommandList,
    CommandPalette,
    DiscoveryHit,
    Hit,
    Hits,
    Provider,
)
from textual.content import Content
from textual.css.query import NoMatches
from textual.theme import ThemeProvider

from ark_tui import operations
from ark_tui.domain.curation import SavedSearch
from ark_tui.domain.display import visible_line
from ark_tui.domain.errors import ArkError
from ark_tui.interfaces.tui.state import actions
from ark_tui.interfaces.tui.widgets.entry import Entry
from ark_tui.operations.page import WHOLE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from textual.app import ComposeResult
    from textual.events import Click

    from ark_tui.interfaces.tui.screens.workbench import Workbench
    from ark_tui.interfaces.tui.state.actions import Action

SILENT = {"app.command-palette", "dialog.close"}
"""What makes no sense in the palette: opening it, and closing what is not open."""

ABOVE = {"dialog", "facts", "ask", "saved", "note", "queue", "remedies", "lab"}
"""Scopes of what lies above the workbench."""


GATHERING = "--textual-command-palette-gather-commands"
"""The group of Textual's own work in the palette, which it cancels by this name."""


class Commands(CommandList):
    """Textual's list. A click on what is not in it any more, but still on the screen, means nothing."""

    def _on_click(self, event: Click) -> None:  # type: ignore[override]
        """Runs before that of Textual's list, which looks the option up whether it is there or not."""
        if event.style.meta.get("option", -1) >= self.option_count:
            event.prevent_default()


class Words(CommandInput, Entry):
    """Textual's input, drawn harmlessly."""


class Palette(CommandPalette):
    """Textual's palette. Before its list has a place on the screen, moving in it does nothing, not fail."""

    def dismiss(self, result: None = None) -> AwaitComplete:
        """Close, once, as dialogs do."""
        return super().dismiss(result) if self.is_current else AwaitComplete()

    def compose(self) -> ComposeResult:
        for part in super().compose():
            if isinstance(part, CommandList):
                yield Commands()
            elif isinstance(part, CommandInput):
                yield Words(placeholder=self._placeholder, select_on_focus=False)
            else:
                yield part

    @work(exclusive=True, group=GATHERING, exit_on_error=False)
    async def _gather_commands(self, search_value: str) -> None:
        """As Textual does. It may begin, or go on, when the palette has been closed and its list is gone."""
        gather = super()._gather_commands.__wrapped__  # type: ignore[attr-defined]
        with suppress(NoMatches):
            await gather(self, search_value)

    def _action_command_list(self, action: str) -> None:
        if self.query(CommandList) and self.query_one(CommandList).scrollable_content_region:
            super()._action_command_list(action)


class ThemePalette(Palette):
    """The themes; moving among them shows each, and leaving without choosing gives back what was."""

    def __init__(self) -> None:
        super().__init__(providers=[ThemeProvider], placeholder="Search for themes…")
        self._before = self.app.theme

    def _action_command_list(self, action: str) -> None:
        super()._action_command_list(action)
        for commands in self.query(CommandList):
            if action != "select" and commands.highlighted is not None:
                option = commands.get_option_at_index(commands.highlighted)
                if isinstance(option, Command) and str(option.hit.text) in self.app.available_themes:
                    self.app.theme = str(option.hit.text)

    def dismiss(self, result: None = None) -> AwaitComplete:
        """Close; what was chosen is set after that."""
        if self.is_current:
            self.app.theme = self._before
        return super().dismiss(result)


class Actions(Provider):
    """Runs any action, where its scope is."""

    async def discover(self) -> Hits:
        for action, run in self._runnable():
            title = _title(action)
            yield DiscoveryHit(Content(title) + _keys(action), run, text=title, help=action.help)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for action, run in self._runnable():
            title = _title(action)
            score = max(matcher.match(title), matcher.match(action.help) * 0.8)
            if score > 0:
                yield Hit(score, matcher.highlight(title) + _keys(action), run, text=title, help=action.help)

    def _runnable(self) -> Iterator[tuple[Action, Callable[[], object]]]:
        workbench = _workbench(self)
        for action in workbench.context.keymap.actions:
            if action.id not in SILENT and action.scope not in ABOVE:
                yield action, partial(workbench.carry_out, action)


class Saved(Provider):
    """The saved searches, each to be run."""

    async def startup(self) -> None:
        """Read them while the palette is opening; where that fails, none is offered."""
        context, self._saved = _workbench(self).context, tuple[SavedSearch, ...]()
        if context.opening.opened:
            with suppress(ArkError):
                found = await to_thread(context.client.call, operations.saved.list_, WHOLE)
                self._saved = found.items

    async def search(self, query: str) -> Hits:
        matcher, workbench = self.matcher(query), _workbench(self)
        for one in self._saved:
            title = f"Saved search: @{visible_line(one.name)}"
            about = visible_line(one.request.query)
            score = max(matcher.match(title), matcher.match(about) * 0.8)
            if score > 0:
                run = partial(workbench.run_saved, one.name)
                yield Hit(score, matcher.highlight(title), run, text=title, help=about)


class Themes(Provider):
    """The colours."""

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for name in sorted(self.app.available_themes):
            title = f"Theme: {name}"
            if (score := matcher.match(title)) > 0:
                yield Hit(
                    score, matcher.highlight(title), partial(setattr, self.app, "theme", name), text=title
                )


def _workbench(provider: Provider) -> Workbench:
    """The main screen, which is below every other."""
    return cast("Workbench", provider.app.screen_stack[0])


def _title(action: Action) -> str:
    return f"{actions.SCOPE_TITLES[action.scope]}: {action.label}"


def _keys(action: Action) -> Content:
    return Content.styled(f"  {actions.displayed(action)}", "dim")
