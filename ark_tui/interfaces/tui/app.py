"""The app: it owns the engine's opening, what is remembered, said and asked; the screens do the rest."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from rich.text import Text
from textual import on, work
from textual.app import App, ScreenStackError, SuspendNotSupported
from textual.errors import NoWidget
from textual.events import Event, Key, MouseDown, Paste
from textual.notifications import Notify
from textual.worker import Worker, WorkerFailed, WorkerState

from ark_tui.domain import failing
from ark_tui.domain.display import visible, visible_line
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
    from collections.abc import Callable, Sequence

    from textual.binding import Binding
    from textual.driver import Driver
    from textual.filter import LineFilter
    from textual.message import Message
    from textual.screen import Screen
    from textual.theme import Theme

    from ark_tui.settings import Settings

T = TypeVar("T")

Worker.StateChanged.bubble = True
"""Textual tells only the part that began the work how it ended, and no part listens: let the app hear it."""

SWITCH_INTERVAL = 0.0005
"""Seconds after which Python lets another thread run. A key passes three threads, and at the usual 5 ms
each of them waits for whatever thread is computing."""

TOAST = {"information": 2.5, "warning": 6.0, "error": 8.0}
"""Seconds that a message stays on the screen."""

AFTER = 1.0
"""Seconds after which it is gone, whatever held up its own timer."""


KEEP_TITLE, TITLE_BACK = "\x1b[22;2t", "\x1b[23;2t"
"""What puts the title of the window aside, and what brings it back (XTWINOPS)."""

UNTITLED = {"linux", "dumb"}
"""Terminals that would write a title onto the screen."""

HERE = Path(__file__).parent
STYLES = (
    "widgets/ink.tcss",
    "widgets/widgets.tcss",
    "panes/search.tcss",
    "screens/workbench.tcss",
)
"""What the first frame needs."""


class ArkApp(App[None]):
    """The workbench over one home."""

    TITLE = "ark-tui"
    CSS_PATH: ClassVar = [HERE / style for style in STYLES]
    SCOPES: ClassVar[actions.Scopes] = ("app",)
    BINDINGS: ClassVar[actions.Bindings] = actions.bindings(*SCOPES)
    ENABLE_COMMAND_PALETTE = False  # ark-tui has its own
    TOOLTIP_DELAY = 0.4

    def __init__(self, settings: Settings, *, opening: Opening | None = None) -> None:
        """`opening`: of another home."""
        sys.setswitchinterval(SWITCH_INTERVAL)
        terminal.learn()
        self._legible, self._legible_for = Legible(), (True, False, False)  # for a dark theme of many colours
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
        self._titled = False  # the window of the terminal has a title from here
        self._keys_ahead = terminal.KeyQueue(self, super().on_event)
        self.theme = self._chosen = self._first_theme()

    @property
    def workbench(self) -> Workbench:
        """The main screen, which is below every other."""
        screen = self.screen_stack[0]
        assert isinstance(screen, Workbench)
        return screen

    def get_default_screen(self) -> Workbench:
        return Workbench(self.context, self.size)

    def get_driver_class(self) -> type[Driver]:
        """As Textual has it, but that a terminal may go."""
        chosen = super().get_driver_class()
        return terminal.Terminal if chosen is terminal.Terminal.__base__ else chosen

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """What shows the focus and the pane at hand where colours are few, or none."""
        few = self.no_color or self.console.color_system == "standard"
        lost = few and (self.no_color or not self.native_ansi_color)  # the ground of the tab
        return {"focused": "heavy" if few else "round", "here": "bold reverse" if lost else "bold"}

    def get_line_filters(self) -> Sequence[LineFilter]:
        """As Textual has them, and after them that nothing is too faint to be read."""
        sixteen = self.console.color_system == "standard" and not self.native_ansi_color
        key = self.current_theme.dark, self.native_ansi_color, sixteen
        if key != self._legible_for:
            palettes = (self.ansi_theme, XTERM[self.current_theme.dark]) if self.native_ansi_color else ()
            if sixteen:
                palettes = XTERM[self.current_theme.dark], CONSOLE
            self._legible, self._legible_for = Legible(palettes, sixteen=sixteen), key
        return super().get_line_filters() if self.no_color else [*super().get_line_filters(), self._legible]

    def refresh_css(self, animate: bool = True) -> None:
        """Likewise in the dialog in front, which Textual passes over: its walk begins at the screen below."""
        super().refresh_css(animate)
        with suppress(ScreenStackError):
            self.stylesheet.update(self.screen, animate=animate)

    def _load_screen_css(self, screen: Screen[Any]) -> None:
        """Parse the style sheet that comes with a screen; Textual would parse all others anew, too."""
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
        """Whether what is seen there has just been removed: Textual fails on a button pressed on it."""
        try:
            widget, _ = self.get_widget_at(x, y)
        except NoWidget:
            return False
        return not widget.is_attached

    def get_key_display(self, binding: Binding) -> str:
        return binding.key_display or actions.display(binding.key)

    def action_command_palette(self) -> None:
        """Every action, by name."""
        self.context.dialogs.palette()

    def _theme_changed(self, theme: Theme) -> None:
        """Remember what was chosen: what is only looked at is not, nor what was there before."""
        from ark_tui.interfaces.tui.screens.palette import ThemeScreen

        if theme.name != self._chosen and not isinstance(self.screen, ThemeScreen):
            self._chosen = theme.name
            self.context.remember(theme=theme.name)

    # -- what only the app can do for those below ----------------------------------------------------

    def _show(self, said: Said) -> None:
        """Put a message on the screen."""
        title = said.severity.capitalize() if self.no_color and said.severity != "information" else ""
        self.post_message(Notify(terminal.Notice(said.text, title, said.severity, TOAST[said.severity])))

    @on(Notify)
    def _take_away(self, event: Notify) -> None:
        """Look for messages whose time is over: Textual loses a timer that is held up for all of its time."""
        self.set_timer(event.notification.timeout + AFTER, self._refresh_notifications)

    def _tell(self, message: Message) -> bool:
        return self.workbench.post_message(message)

    def _reread(self) -> None:
        """Read the settings again and take up what has changed; what is wrong in them is said."""
        context, before = self.context, self.context.settings
        if before.reload is None:
            return
        context.take_up(before.reload())
        self.set_keymap(context.keymap.changed())
        if context.settings.theme != before.theme:
            context.remember(theme="")
            self.theme = self._first_theme()
        if context.settings.blink != before.blink:
            context.remember(blink="")
        if configured.of_the_engine(before) != configured.of_the_engine(context.settings):
            context.opening.renew(context.settings)
        for fault in context.faults(self.available_themes):
            context.say(fault, "warning")

    def _edit(self, file: Path, line: int, place: str) -> bool:
        """Leave the terminal to the person's editor; whether it was there.

        A file that is no text is shown by another program, at its page or whatever place it has.
        """
        from ark_tui.interfaces.tui import programs

        if programs.has_viewer(file):
            self._view(file, place)
            return False
        setting = self.context.settings.editor
        return self._leave_to(
            strings.YOUR_EDITOR, lambda: programs.edit_command(setting, file, line), programs.run_editor
        )

    def _view(self, file: Path, place: str) -> None:
        from ark_tui.interfaces.tui import programs
        from ark_tui.interfaces.tui.state import addresses

        try:
            words = programs.view_command(self.context.settings.viewer, os.environ, file, place)
            addresses.start(words, programs.SET_VIEWER)
        except ArkError as error:
            self.context.say_error(error)
        else:
            self.context.say(
                strings.FILE_OPENED.format(
                    program=Path(words[0]).name, file=file.name, place=place and f", {place}"
                )
            )

    def _leave_to(self, whom: str, prepare: Callable[[], T], work: Callable[[T], object]) -> bool:
        """Leave the terminal to somebody else; whether that went well.

        What fails there is said afterwards: by an exception Textual would not come back.
        """
        failed: ArkError | None = None
        try:
            prepared = prepare()
            with self.suspend():
                try:
                    work(prepared)
                except ArkError as error:
                    failed = error
            self.refresh(layout=True)
        except ArkError as error:
            failed = error
        except SuspendNotSupported:
            self.context.say(strings.CANNOT_LEAVE.format(program=whom), "warning")
            return False
        if failed is not None:
            self.context.say_error(failed)
        return failed is None

    def _copy(self, text: str, what: str) -> None:
        """Copy a text and say what was copied."""
        self.copy_to_clipboard(text)
        self._tell_desktop(text)
        self.context.say(f"Copied {what}.")

    @work(thread=True, group="clipboard", exit_on_error=False)
    def _tell_desktop(self, text: str) -> None:
        from ark_tui.interfaces.tui import programs

        programs.tell_desktop(text)

    def watch_sub_title(self, text: str) -> None:
        """Say in the title of the terminal's window what is shown; what stood there before is put aside."""
        if self._driver is None or os.environ.get("TERM") in UNTITLED:
            return
        title = f"{self.TITLE}: {visible_line(text)}" if text else self.TITLE
        self._driver.write(f"{'' if self._titled else KEEP_TITLE}\x1b]2;{title}\x1b\\")
        self._titled = True

    def on_unmount(self) -> None:
        if self._titled and self._driver is not None:
            self._driver.write(TITLE_BACK)

    async def action_quit(self) -> None:
        """Leave; what still waits for the store is said, for the terminal stays until that is written."""
        self.workbench.keep_session()
        unfinished = self.context.acts.unfinished()
        self.exit(message=Text(unfinished) if unfinished else None)

    @on(Worker.StateChanged)
    def _worker_changed(self, event: Worker.StateChanged) -> None:
        """Work that fails is a message, and the app goes on."""
        if event.state is WorkerState.ERROR and not event.worker.exit_on_error:
            self.context.say_error(failing.in_words(event.worker.error))

    def _handle_exception(self, error: Exception) -> None:
        """Likewise Textual's own work, which would end the app."""
        if isinstance(error, WorkerFailed):
            self.context.say_error(failing.in_words(error.error))
        else:
            super()._handle_exception(error)

    # -- actions -------------------------------------------------------------------------------------

    def action_help(self) -> None:
        self.context.dialogs.help()

    def action_copy_selection(self) -> None:
        selected = self.screen.get_selected_text()
        if selected:
            self._copy(visible(selected), strings.COPY_SELECTION)
        else:
            self.context.say(strings.HOW_TO_QUIT.format(key=self.context.keys["app.quit"]))

    # -- inside --------------------------------------------------------------------------------------

    def _first_theme(self) -> str:
        """What was chosen last, unless the environment or the command line names one."""
        context, chosen = self.context, self.context.settings.theme
        if context.remembered.theme and not configured.fixed(context.settings, "theme"):
            chosen = context.remembered.theme
        return chosen if chosen in self.available_themes else "textual-dark"
