"""The Textual app: opens the engine and holds choices, messages and screens."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on, work
from textual.app import App, ScreenStackError, SuspendNotSupported
from textual.errors import NoWidget
from textual.events import Event, Key, MouseDown, Paste
from textual.notifications import Notify
from textual.worker import Worker, WorkerFailed, WorkerState

from ark_tui.domain import failures
from ark_tui.domain.display import visible
from ark_tui.domain.errors import ArkError
from ark_tui.interfaces.tui import terminal
from ark_tui.interfaces.tui.screens.workbench import Workbench
from ark_tui.interfaces.tui.state import actions, configured, keymap, session, strings
from ark_tui.interfaces.tui.state.client import Client, CommandQueue, Opening
from ark_tui.interfaces.tui.state.context import PaneContext, Said
from ark_tui.interfaces.tui.state.dialogs import Dialogs
from ark_tui.interfaces.tui.state.session import Choices, Session
from ark_tui.interfaces.tui.widgets.legible import CONSOLE, XTERM, Legible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.binding import Binding
    from textual.driver import Driver
    from textual.filter import LineFilter
    from textual.message import Message
    from textual.screen import Screen
    from textual.theme import Theme

    from ark_tui.settings import Settings

Worker.StateChanged.bubble = True
"""By default Textual reports a worker's end only to the widget that started it. Bubbling lets the app handle
it."""

SWITCH_INTERVAL = 0.0005
"""Thread switch interval in seconds. A key press passes through three threads; at the default of 5 ms each of
them would wait for a computing thread."""

TOAST = {"information": 2.5, "warning": 6.0, "error": 8.0}
"""Seconds that a message stays on the screen, by severity."""

AFTER = 1.0
"""Seconds after its timeout at which a message is removed, even if its own timer was delayed."""

HERE = Path(__file__).parent
STYLES = ("widgets/ink.tcss", "widgets/widgets.tcss", "panes/search.tcss", "screens/workbench.tcss")
"""Stylesheets for the first frame."""


class ArkApp(App[None]):
    """The Textual app of one home."""

    TITLE = "ark-tui"
    CSS_PATH: ClassVar = [HERE / style for style in STYLES]
    SCOPES: ClassVar[actions.Scopes] = ("app",)
    BINDINGS: ClassVar[actions.Bindings] = actions.bindings(*SCOPES)
    ENABLE_COMMAND_PALETTE = False  # ark-tui has its own palette
    TOOLTIP_DELAY = 0.4

    def __init__(self, settings: Settings, *, opening: Opening | None = None) -> None:
        """`opening`: the connection to the home."""
        sys.setswitchinterval(SWITCH_INTERVAL)
        terminal.learn()
        self._legible, self._legible_for = Legible(), (True, False, False)  # dark theme with many colors
        super().__init__()
        opening = opening or Opening(settings)
        client = Client(opening)
        left, self._session_fault = session.load(opening.kept, Session)
        self.context = PaneContext(
            settings, keymap.made(settings.keymap), opening, client, CommandQueue(client),
            session.load(opening.kept, Choices)[0], left,
            show=self._show, tell=self._tell, copy=self._copy, edit=self._edit,
            reread=self._reread,
        )  # fmt: skip
        self.context.dialogs = Dialogs(self, self.context)
        self._keys_ahead = terminal.KeyQueue(self, super().on_event)
        self.theme = self._chosen = self._first_theme()

    @property
    def workbench(self) -> Workbench:
        """The main screen, below all other screens."""
        screen = self.screen_stack[0]
        assert isinstance(screen, Workbench)
        return screen

    def get_default_screen(self) -> Workbench:
        return Workbench(self.context, self.size)

    def get_driver_class(self) -> type[Driver]:
        """Textual's driver class, extended to handle a closed terminal."""
        chosen = super().get_driver_class()
        return terminal.Terminal if chosen is terminal.Terminal.__base__ else chosen

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Variables that mark the focus and the active pane in themes with few or no colors."""
        few = self.no_color or self.console.color_system == "standard"
        lost = few and (self.no_color or not self.native_ansi_color)  # background of the tab
        return {"focused": "heavy" if few else "round", "here": "bold reverse" if lost else "bold"}

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Textual's filters, then the filter that ensures a minimum contrast."""
        sixteen = self.console.color_system == "standard" and not self.native_ansi_color
        key = self.current_theme.dark, self.native_ansi_color, sixteen
        if key != self._legible_for:
            palettes = (self.ansi_theme, XTERM[self.current_theme.dark]) if self.native_ansi_color else ()
            if sixteen:
                palettes = XTERM[self.current_theme.dark], CONSOLE
            self._legible, self._legible_for = Legible(palettes, sixteen=sixteen), key
        return super().get_line_filters() if self.no_color else [*super().get_line_filters(), self._legible]

    def refresh_css(self, animate: bool = True) -> None:
        """Also refresh the screen on top, which Textual skips when it starts at the screen below."""
        super().refresh_css(animate)
        with suppress(ScreenStackError):
            self.stylesheet.update(self.screen, animate=animate)

    def _load_screen_css(self, screen: Screen[Any]) -> None:
        """Parse only the stylesheet of a new screen; Textual would reparse all of them."""
        for path in screen.css_path:
            if not self.stylesheet.has_source(str(path), ""):
                self.stylesheet.read(path)
        super()._load_screen_css(screen)

    def on_mount(self) -> None:
        self.set_keymap(self.context.keymap.changed())
        self.theme_changed_signal.subscribe(self, self._theme_changed)
        if not self.is_headless:
            self.set_interval(terminal.LOOK, terminal.Hangup(self.action_quit).look)
        for fault in (*self.context.faults(self.available_themes), self._session_fault):
            if fault:
                self.context.say(fault, "warning")

    async def on_event(self, event: Event) -> None:
        if isinstance(event, Key):
            terminal.without_text(event)
        if isinstance(event, MouseDown) and self._is_gone(event.x, event.y):
            return
        if isinstance(event, Key | Paste) and not event.is_forwarded:
            await self._keys_ahead.take(event)
        else:
            await super().on_event(event)

    def _is_gone(self, x: int, y: int) -> bool:
        """Whether the widget was just removed. Textual fails on a click on a removed button."""
        try:
            widget, _ = self.get_widget_at(x, y)
        except NoWidget:
            return False
        return not widget.is_attached

    def get_key_display(self, binding: Binding) -> str:
        return binding.key_display or actions.display(binding.key)

    def action_command_palette(self) -> None:
        """Open the palette with all actions."""
        self.context.dialogs.palette()

    def _theme_changed(self, theme: Theme) -> None:
        """Store a theme that was chosen, but not a preview or the initial theme."""
        from ark_tui.interfaces.tui.screens.picking import ThemeScreen

        if theme.name != self._chosen and not isinstance(self.screen, ThemeScreen):
            self._chosen = theme.name
            self.context.remember(theme=theme.name)

    def _show(self, said: Said) -> None:
        """Show a message on the screen."""
        title = said.severity.capitalize() if self.no_color and said.severity != "information" else ""
        self.post_message(Notify(terminal.Notice(said.text, title, said.severity, TOAST[said.severity])))

    @on(Notify)
    def _take_away(self, event: Notify) -> None:
        """Remove expired messages: Textual loses a timer that is delayed past its end."""
        self.set_timer(event.notification.timeout + AFTER, self._refresh_notifications)

    def _tell(self, message: Message) -> bool:
        return self.workbench.post_message(message)

    def _reread(self) -> None:
        """Read the settings again, apply changes and show their errors as messages."""
        context, before = self.context, self.context.settings
        if before.reload is None:
            return
        context.take_up(before.reload())
        self.set_keymap(context.keymap.changed())
        if context.settings.theme != before.theme:
            context.remember(theme="")
            self.theme = self._first_theme()
        if configured.of_the_engine(before) != configured.of_the_engine(context.settings):
            context.opening.renew(context.settings)
        for fault in context.faults(self.available_themes):
            context.say(fault, "warning")

    def _edit(self, file: Path, line: int, place: str) -> bool:
        """Suspend the app while the user's editor has the terminal, and return whether it ran.

        Files that are not text open in a viewer, at their page or other place.
        """
        from ark_tui.interfaces.tui.state import programs

        if programs.has_viewer(file):
            self._view(file, place)
            return False
        try:
            words = programs.edit_command(self.context.settings.editor, file, line)
            with self.suspend():
                failed = programs.run_editor(words)
            self.refresh(layout=True)
        except ArkError as error:
            failed = error
        except SuspendNotSupported:
            self.context.say(strings.CANNOT_LEAVE, "warning")
            return False
        if failed is not None:
            self.context.say_error(failed)
        return failed is None

    def _view(self, file: Path, place: str) -> None:
        from ark_tui.interfaces.tui.state import programs

        try:
            words = programs.view_command(self.context.settings.viewer, os.environ, file, place)
            programs.start(words, strings.VIEWER_HINT)
        except ArkError as error:
            self.context.say_error(error)
        else:
            self.context.say(
                strings.FILE_OPENED.format(
                    program=Path(words[0]).name, file=file.name, place=place and f", {place}"
                )
            )

    def _copy(self, text: str, what: str) -> None:
        """Copy a text to the clipboard and confirm it."""
        self.copy_to_clipboard(text)
        self._tell_desktop(text)
        self.context.say(f"Copied {what}.")

    @work(thread=True, group="clipboard", exit_on_error=False)
    def _tell_desktop(self, text: str) -> None:
        from ark_tui.interfaces.tui.state import programs

        programs.tell_desktop(text)

    async def action_quit(self) -> None:
        self.workbench.keep_session()
        self.exit()

    @on(Worker.StateChanged)
    def _worker_changed(self, event: Worker.StateChanged) -> None:
        """Show the error of a failed worker as a message; the app continues."""
        if event.state is WorkerState.ERROR and not event.worker.exit_on_error:
            self.context.say_error(failures.in_words(event.worker.error))

    def _handle_exception(self, error: Exception) -> None:
        """Handle errors of Textual's own tasks the same way; they would end the app."""
        if isinstance(error, WorkerFailed):
            self.context.say_error(failures.in_words(error.error))
        else:
            super()._handle_exception(error)

    def action_help(self) -> None:
        self.context.dialogs.help()

    def action_copy_selection(self) -> None:
        selected = self.screen.get_selected_text()
        if selected:
            self._copy(visible(selected), "the selection")
        else:
            self.context.say(strings.HOW_TO_QUIT.format(key=self.context.keys["app.quit"]))

    def _first_theme(self) -> str:
        """The theme that was chosen last, unless the environment or the command line sets one."""
        context, chosen = self.context, self.context.settings.theme
        if context.remembered.theme and not configured.fixed(context.settings, "theme"):
            chosen = context.remembered.theme
        return chosen if chosen in self.available_themes else "textual-dark"
