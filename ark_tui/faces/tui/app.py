"""The app: it owns the engine's opening, what is remembered, said and asked; the screens do the rest."""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NamedTuple, TypeVar

from rich.text import Text
from textual import on, work
from textual.app import App, ScreenStackError, SuspendNotSupported
from textual.errors import NoWidget
from textual.events import Key, MouseDown, Paste
from textual.notifications import Notify
from textual.widgets import Input
from textual.worker import Worker, WorkerFailed, WorkerState

from ark_tui.domain.display import visible
from ark_tui.domain.errors import ArkError
from ark_tui.faces.tui import (
    actions,
    configured,
    failing,
    keyboard,
    keymap,
    remembered,
    session,
)
from ark_tui.faces.tui.acts import Acts
from ark_tui.faces.tui.ahead import Ahead
from ark_tui.faces.tui.opening import Opening
from ark_tui.faces.tui.parts.empty import keys_of
from ark_tui.faces.tui.screens.workbench import Workbench

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from textual.binding import Binding, BindingType
    from textual.command import Provider
    from textual.events import Event
    from textual.notifications import SeverityLevel
    from textual.screen import Screen

    from ark_tui.domain.curation import Done
    from ark_tui.domain.recall import Thought
    from ark_tui.faces.tui.actions import Action
    from ark_tui.settings import Settings

Answer = TypeVar("Answer")

Worker.StateChanged.bubble = True
"""Textual tells only the part that began the work how it ended, and no part listens: let the app hear it."""

SWITCH_INTERVAL = 0.0005
"""Seconds after which Python lets another thread run. A key passes three threads, and at the usual 5 ms
each of them waits for whatever thread is computing."""

TOAST = {"information": 2.5, "warning": 6.0, "error": 8.0}
"""Seconds that a message stays on the screen."""


UNKEPT = "unkept"
"""The session cannot be written; that has been said."""

HERE = Path(__file__).parent
STYLES = (
    "parts/ink.tcss",
    "parts/parts.tcss",
    "panes/search.tcss",
    "screens/workbench.tcss",
)
"""What the first frame needs."""

LATER_STYLES = (
    "panes/library.tcss",
    "panes/notebook.tcss",
    "panes/history.tcss",
    "panes/analysis.tcss",
    "panes/settings.tcss",
)
"""What the other panes need."""


class Said(NamedTuple):
    """A message that was shown, for the list of messages."""

    at: datetime
    severity: SeverityLevel
    text: str


def _actions() -> type[Provider]:
    """The palette's actions, imported when the palette opens."""
    from ark_tui.faces.tui.palette import Actions

    return Actions


def _saved() -> type[Provider]:
    """Likewise the saved searches."""
    from ark_tui.faces.tui.palette import Saved

    return Saved


def _themes() -> type[Provider]:
    """Likewise its themes."""
    from ark_tui.faces.tui.palette import Themes

    return Themes


class ArkApp(App[None]):
    """The workbench over one home."""

    TITLE = "ark-tui"
    CSS_PATH: ClassVar = [HERE / style for style in STYLES]
    SCOPES: ClassVar[actions.Scopes] = ("app",)
    BINDINGS: ClassVar[list[BindingType]] = [*actions.bindings(*SCOPES)]
    COMMANDS: ClassVar = {_actions, _saved, _themes}
    TOOLTIP_DELAY = 0.4

    def __init__(self, settings: Settings) -> None:
        sys.setswitchinterval(SWITCH_INTERVAL)
        keyboard.learn()
        super().__init__()
        self.settings = settings
        self.opening = Opening(settings)
        self.acts = Acts(self.opening)
        self.remembered = remembered.load(settings.home.path)
        self.session, self._session_fault = session.load(settings.home.path)
        self.keymap = keymap.made(settings.keymap)
        self.keys = keys_of(self.actions, actions.display)
        self._ahead = Ahead(self, super().on_event)
        self.said: list[Said] = []
        self.thought: Thought | None = None  # the latest answer, to be looked at again
        self.theme = self._first_theme()

    def key_in_text(self, action: str) -> str:
        """The first key of an action that a text field does not take for a letter, as people write it."""
        found = next(one for one in self.actions if one.id == action)
        free = (key for key in found.all_keys if not actions.character(key))
        return next(map(actions.display, free), self.keys[action])

    @property
    def workbench(self) -> Workbench:
        """The main screen, which is below every other."""
        screen = self.screen_stack[0]
        assert isinstance(screen, Workbench)
        return screen

    def get_default_screen(self) -> Workbench:
        return Workbench(self.size)

    def furnish(self) -> None:
        """Read the styles that the first frame did without."""
        self.stylesheet.read_all([HERE / style for style in LATER_STYLES])

    def refresh_css(self, animate: bool = True) -> None:
        """Likewise in the dialog in front, which Textual passes over: its walk begins at the screen below."""
        super().refresh_css(animate)
        with suppress(ScreenStackError):
            self.stylesheet.update(self.screen, animate=animate)

    def on_mount(self) -> None:
        self.set_keymap(self.keymap.changed())
        self.theme_changed_signal.subscribe(self, lambda theme: self.remember(theme=theme.name))
        for fault in (*self.faults, self._session_fault):
            if fault:
                self.say(fault, "warning")

    async def on_event(self, event: Event) -> None:
        if isinstance(event, Key):
            keyboard.without_text(event)
        if isinstance(event, MouseDown) and self._is_gone(event.x, event.y):
            return
        if isinstance(event, Key | Paste) and not event.is_forwarded:
            await self._ahead.take(event)
        else:
            await super().on_event(event)

    def _is_gone(self, x: int, y: int) -> bool:
        """Whether what is seen there has just been removed: Textual fails on a button pressed on it."""
        try:
            widget, _ = self.get_widget_at(x, y)
        except NoWidget:
            return False
        return not widget.is_attached

    @property
    def actions(self) -> tuple[Action, ...]:
        """Every action with the keys that it has here."""
        return self.keymap.actions

    @property
    def faults(self) -> tuple[str, ...]:
        """What is wrong with the settings."""
        themes = configured.theme_fault(self.settings, self.available_themes)
        return (*self.settings.warnings, *themes, *configured.key_faults(self.settings, self.keymap))

    @property
    def blink(self) -> bool:
        """Whether the cursor blinks: as was chosen here, unless the environment or the command line says."""
        chosen = self.remembered.blink
        return (
            chosen == "on" if chosen and not configured.fixed(self.settings, "blink") else self.settings.blink
        )

    @property
    def profile(self) -> str:
        """The ranking profile that was chosen here; empty for the one of the settings."""
        chosen = self.remembered.profile
        return chosen if chosen in self.settings.profiles else ""

    def get_key_display(self, binding: Binding) -> str:
        return binding.key_display or actions.display(binding.key)

    def action_command_palette(self) -> None:
        """Open the palette; its cursor blinks only where the person wants blinking."""
        from textual.command import CommandPalette

        from ark_tui.faces.tui.palette import Palette

        if not isinstance(self.screen, CommandPalette):
            self.push_screen(Palette(id="--command-palette"))
            self.call_after_refresh(self._still)

    def search_themes(self) -> None:
        """Choose a theme in the palette."""
        from textual.theme import ThemeProvider

        from ark_tui.faces.tui.palette import Palette

        self.push_screen(Palette(providers=[ThemeProvider], placeholder="Search for themes…"))
        self.call_after_refresh(self._still)

    def _still(self) -> None:
        for line in self.screen.query(Input):
            line.cursor_blink = self.blink

    # -- telling, asking and remembering ---------------------------------------------------------------

    def say(self, text: str, severity: SeverityLevel = "information") -> None:
        """Tell the person something, in words; it is kept in the list of messages."""
        from ark_tui.faces.tui.notices import Notice

        text = visible(text)
        self.said.append(Said(datetime.now().astimezone(), severity, text))
        title = severity.capitalize() if self.no_color and severity != "information" else ""
        self.post_message(Notify(Notice(text, title, severity, TOAST[severity])))

    def say_error(self, error: ArkError) -> None:
        """Tell what went wrong and what to do."""
        self.say(f"{error.what}\n{error.hint}" if error.hint else error.what, "error")

    def say_done(self, done: Done, back: str = "") -> None:
        """Tell what an edit has done; `back` says how that is taken back, where it has changed anything."""
        what = f"{done.what[:1].upper()}{done.what[1:]}"
        said = f"{what} · {back}" if back and done.changed else f"{what}."
        self.say("\n".join([said, *done.notices]))

    def consult(self, dialog: Screen[Answer], then: Callable[[Answer], object]) -> None:
        """Open a dialog, and go on with its answer unless it is closed without one."""

        def answered(answer: Answer | None) -> None:
            if answer is not None:
                then(answer)

        self.push_screen(dialog, answered)

    def ask(self, title: str, about: str, then: Callable[[str], object], value: str = "") -> None:
        """Ask for a line of text."""
        from ark_tui.faces.tui.screens.ask import AskScreen

        self.consult(AskScreen(title, about, value), then)

    def ask_again(
        self, title: str, about: str, then: Callable[[str, Callable[[], None]], object], value: str = ""
    ) -> None:
        """As `ask`; `then` is also given what asks once more, with the line as it was typed."""

        def answered(line: str) -> None:
            then(line, lambda: self.ask_again(title, about, then, line))

        self.ask(title, about, answered, value)

    def choose(self, title: str, choices: Mapping[str, str], then: Callable[[str], object]) -> None:
        """Ask for one of a few choices, given by letter and answer."""
        from ark_tui.faces.tui.screens.ask import ChooseScreen

        self.consult(ChooseScreen(title, choices), then)

    def remember(self, **choices: str) -> None:
        """Keep some choices for the next run."""
        fresh = replace(self.remembered, **choices)
        if fresh == self.remembered:
            return
        self.remembered = fresh
        try:
            remembered.save(self.settings.home.path, fresh)
        except ArkError as error:
            self.say_error(error)

    # -- settings ------------------------------------------------------------------------------------

    def reread(self) -> None:
        """Read the settings again and take up what has changed; what is wrong in them is said."""
        if self.settings.reload is None:
            return
        before, self.settings = self.settings, self.settings.reload()
        self.keymap = keymap.made(self.settings.keymap)
        self.keys.update(keys_of(self.actions, actions.display))
        self.set_keymap(self.keymap.changed())
        if self.settings.theme != before.theme:
            self.remember(theme="")
            self.theme = self._first_theme()
        if self.settings.blink != before.blink:
            self.remember(blink="")
        if configured.of_the_engine(before) != configured.of_the_engine(self.settings):
            self.opening.renew(self.settings)
        for fault in self.faults:
            self.say(fault, "warning")

    def edit(self, file: Path, line: int) -> bool:
        """Leave the terminal to the person's editor; whether it was there."""
        from ark_tui.faces.tui import editor

        try:
            words = editor.command(self.settings.editor, file, line)
            with self.suspend():
                editor.run(words)
        except ArkError as error:
            self.say_error(error)
        except SuspendNotSupported:
            self.say("This terminal cannot be left to an editor.", "warning")
        else:
            self.refresh(layout=True)
            return True
        return False

    # -- the session ---------------------------------------------------------------------------------

    def keep_session(self) -> None:
        """Write down what the screen is like, if that has changed; where it cannot be, say so once."""
        fresh = self.workbench.left()
        if fresh == self.session or self._session_fault == UNKEPT:
            return
        self.session = fresh
        try:
            session.save(self.settings.home.path, fresh)
        except ArkError as error:
            self._session_fault = UNKEPT
            self.say_error(error)

    async def action_quit(self) -> None:
        """Leave; what still waits for the store is said, for the terminal stays until that is written."""
        self.keep_session()
        unfinished = self.acts.unfinished()
        self.opening.hurry()
        self.exit(message=Text(unfinished) if unfinished else None)

    def copy(self, text: str, what: str) -> None:
        """Copy a text and say what was copied."""
        self.copy_to_clipboard(text)
        self._tell_desktop(text)
        self.say(f"Copied {what}.")

    @work(thread=True, group="clipboard", exit_on_error=False)
    def _tell_desktop(self, text: str) -> None:
        from ark_tui.faces.tui import clipboard

        clipboard.tell_desktop(text)

    @work(thread=True, exclusive=True, group="reading", exit_on_error=False)
    def read(self, document: str, chunk: str = "", query: str = "") -> None:
        """Open a document above whatever is shown: at a chunk of it, with the matches of a query marked."""
        from ark_tui.faces.tui.screens import reading

        passage, lines, problem = reading.passage(self.opening.wait(), document, chunk, query)
        self.call_from_thread(self.push_screen, reading.ReadingScreen(passage, lines, query))
        if problem is not None:
            self.call_from_thread(self.say_error, problem)

    @on(Worker.StateChanged)
    def _worker_changed(self, event: Worker.StateChanged) -> None:
        """Work that fails is a message, and the app goes on."""
        if event.state is WorkerState.ERROR and not event.worker.exit_on_error:
            self.say_error(failing.in_words(event.worker.error))

    def _handle_exception(self, error: Exception) -> None:
        """Likewise Textual's own work, which would end the app."""
        if isinstance(error, WorkerFailed):
            self.say_error(failing.in_words(error.error))
        else:
            super()._handle_exception(error)

    # -- actions -------------------------------------------------------------------------------------

    def action_help(self) -> None:
        from ark_tui.faces.tui.screens.help import HelpScreen

        if not isinstance(self.screen, HelpScreen):
            signals = self.workbench.title_line.infos if self.screen is self.workbench else {}
            self.push_screen(HelpScreen(self.screen, signals))

    def action_copy_selection(self) -> None:
        selected = self.screen.get_selected_text()
        if selected:
            self.copy(visible(selected), "the selection")
        else:
            self.say(f"{self.keys['app.quit']} leaves ark-tui.")

    # -- inside --------------------------------------------------------------------------------------

    def _first_theme(self) -> str:
        """What was chosen last, unless the environment or the command line names one."""
        chosen = self.settings.theme
        if self.remembered.theme and not configured.fixed(self.settings, "theme"):
            chosen = self.remembered.theme
        return chosen if chosen in self.available_themes else "textual-dark"
