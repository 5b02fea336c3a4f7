"""The main screen: title line, panes, long work and footer, and everything that affects all of them."""

from __future__ import annotations

from base64 import b64decode
from dataclasses import replace
from functools import partial, partialmethod
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import getters, on, work
from textual.widgets import ContentSwitcher, Static
from textual.worker import Worker, WorkerState

from ark_tui import operations
from ark_tui.domain import failures
from ark_tui.domain.display import visible_line
from ark_tui.domain.errors import ArkError, StoreLocked
from ark_tui.domain.wording import counted
from ark_tui.interfaces.tui.panes.pane import Pane, made, stylesheet
from ark_tui.interfaces.tui.panes.search import SearchPane
from ark_tui.interfaces.tui.screens.long_work import LongWork
from ark_tui.interfaces.tui.state import actions, session, strings
from ark_tui.interfaces.tui.state.client import act
from ark_tui.interfaces.tui.state.messages import (
    ActionChosen,
    CollectionChosen,
    CorpusChanged,
    Curated,
    EditAsked,
    ProfileChosen,
    SavedChosen,
    SearchAsked,
    SettingsRead,
)
from ark_tui.interfaces.tui.widgets import ink
from ark_tui.interfaces.tui.widgets.footing import Footer
from ark_tui.interfaces.tui.widgets.requesting import Requesting
from ark_tui.interfaces.tui.widgets.title_line import TitleLine

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from textual.app import ComposeResult
    from textual.binding import ActiveBinding
    from textual.dom import DOMNode
    from textual.geometry import Size

    from ark_tui.domain.hits import SignalInfo
    from ark_tui.domain.work import Check, Status
    from ark_tui.interfaces.tui.state.actions import Action
    from ark_tui.interfaces.tui.state.client import Client
    from ark_tui.interfaces.tui.state.colours import Name
    from ark_tui.interfaces.tui.state.context import PaneContext
    from ark_tui.interfaces.tui.state.poller import ChangePoller
    from ark_tui.interfaces.tui.state.session import Session

LOOK_AGAIN = 1.0
"""Seconds between checks of an index that is behind."""

KEEP = 5.0
"""Seconds between checks for session changes: the maximum that is lost if the process is killed."""

MARKS = {"information": "·", "warning": "!", "error": "✗"}
"""Marks of messages by severity."""


class Workbench(LongWork):
    """The main screen."""

    SCOPES: ClassVar[actions.Scopes] = ("everywhere",)
    BINDINGS: ClassVar[actions.Bindings] = actions.bindings(*SCOPES)
    COMPONENT_CLASSES: ClassVar[set[str]] = ink.CLASSES
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - Textual declares it so
        (0, "-tiny"),
        (60, "-narrow"),
        (100, "-normal"),
        (160, "-wide"),
    ]
    VERTICAL_BREAKPOINTS = [(0, "-low"), (16, "-high")]  # noqa: RUF012 - likewise
    AUTO_FOCUS = "#query"

    title_line = getters.query_one(TitleLine)
    panes = getters.query_one("#panes", ContentSwitcher)
    poller: ChangePoller  # available soon after the first frame

    def __init__(self, context: PaneContext, size: Size) -> None:
        """`size`: the window size, so that the first layout is final."""
        super().__init__(context, classes=" ".join(self._breakpoints(size)))
        self._unkept = False  # the session cannot be written; reported already

    @classmethod
    def _breakpoints(cls, size: Size) -> Iterator[str]:
        """The CSS classes that Textual sets by window size."""
        for length, breakpoints in (
            (size.width, cls.HORIZONTAL_BREAKPOINTS),
            (size.height, cls.VERTICAL_BREAKPOINTS),
        ):
            yield [name for least, name in breakpoints if length >= least][-1]

    def compose(self) -> ComposeResult:
        yield TitleLine()
        with ContentSwitcher(initial="search", id="panes"):
            yield SearchPane(self.context)
        yield Footer()
        yield Static(Text(strings.ENLARGE), id="enlarge")

    def on_mount(self) -> None:
        self.title_line.show_pane("search")
        self.call_after_refresh(self._furnish)

    async def _furnish(self) -> None:
        """After the first frame: mount the remaining widgets and open the engine."""
        from ark_tui.interfaces.tui.state.poller import POLL, ChangePoller
        from ark_tui.interfaces.tui.widgets.work_rows import WorkRows

        self.poller = ChangePoller(self.context)
        self.work_rows = WorkRows(self.context)
        await self.mount(self.work_rows, after=self.panes)
        await self.search_pane.mount_rest()
        self._open()
        if self.panes.current == "search" and self.context.session.pane in actions.PANES:
            await self.show_pane(self.context.session.pane)
        self.set_interval(POLL, self._poll)
        self.set_interval(KEEP, self.keep_session)

    def save_state(self) -> Session:
        """The state of the screen, for the next session."""
        return replace(self.search_pane.save_state(), pane=str(self.panes.current))

    def keep_session(self) -> None:
        """Store the session if it has changed. Report an error only once."""
        fresh, context = self.save_state(), self.context
        if fresh == context.session or self._unkept:
            return
        context.session = fresh
        try:
            session.save(context.opening.kept, fresh)
        except ArkError as error:
            self._unkept = True
            context.say_error(error)

    def on_resize(self) -> None:
        self.refresh_bindings()  # the width of the footer has changed
        self.call_after_refresh(self._focus_again)

    def _focus_again(self) -> None:
        """Restore the focus after a window was too small for any widget."""
        target = self.search_pane.last_focused
        if self.status is not None and not self.status.documents:
            return
        if self.focused is None and self.panes.current == "search" and target.focusable:
            target.focus()

    @work(thread=True, exclusive=True, group="opening", exit_on_error=False)
    def _open(self) -> None:
        """Open the engine, warm it up, and show its state."""
        try:
            self.context.opening.open()
            call = self.context.client.call
            self.call_later(self._opened, {info.name: info for info in call(operations.workbench.signals)})
            call(operations.workbench.warm)
            self.call_later(self.show_status, call(operations.corpus.status))
        except ArkError as error:
            self.call_later(self._failed, error)
        else:
            self._erase()

    def _erase(self) -> None:
        """Finish an interrupted erasure. Runs in a thread."""
        try:
            left = self.context.client.call(operations.workbench.erase)
        except ArkError as error:
            self.app.call_from_thread(self.context.say_error, error)
        else:
            if left:
                self.app.call_from_thread(
                    self.context.say, strings.ERASED.format(texts=counted(left, "deleted text"))
                )

    def _opened(self, signals: Mapping[str, SignalInfo]) -> None:
        """The engine is open and accepts searches."""
        self.poller.opened()
        self.context.signals = signals
        self.search_pane.engine_opened(signals)

    def _failed(self, error: ArkError) -> None:
        """The home cannot be opened."""
        self.context.say_error(error)
        self.search_pane.engine_failed(error)

    def read_status(self) -> None:
        """Reload the state of the home. If another process has locked the store, keep the old state."""

        def failed(error: ArkError) -> None:
            if isinstance(error, StoreLocked):
                self.context.say_error(error)
            else:
                self._failed(error)

        self.request(act(operations.corpus.status), self.show_status, failed, group="status")

    def show_status(self, status: Status) -> None:
        """Show the state of the home."""
        before, self.status = self.status, status
        if before is None:
            self.context.opening.heard = partial(self.call_later, self.show_jobs)
            self.show_jobs()
        self.title_line.show_status(status)
        self.search_pane.show_status(status)
        for pane in self.visited:
            if pane.is_mounted:  # otherwise it is set on arrival
                pane.show_status(status)
        self._focus_by(before.documents if before else None, status.documents)
        followed = self.poller.learn(status)
        if followed.caught_up:
            self.search_again()
        if followed.look_again:
            self.set_timer(LOOK_AGAIN, self.read_status)

    def _focus_by(self, before: int | None, now: int) -> None:
        """Without documents the query line is not focused, so that digits switch panes."""
        line = self.search_pane.query_line
        if before is None and not now and line.has_focus and not line.value:
            self.set_focus(None)
        elif before == 0 and now and self.focused is None and self.in_front is self.search_pane:
            line.focus()

    def _poll(self) -> None:
        """Check for changes. Usually there are none, and nothing is done."""
        news = self.poller.poll(shown=self.status is not None)
        if self.status is not None:
            self.show_jobs()  # a job may get its row merely because time passes
        self._tell_trouble(self.context.opening.trouble)
        if news.settings:
            self.context.reread()
            self.post_message(SettingsRead())
        if news.corpus:
            self.corpus_changed()
        if news.home:
            self.in_front.home_changed()
        for above in self.app.screen_stack[1:] if news.corpus or news.home else ():
            if isinstance(above, Requesting):
                above.home_changed()

    def _tell_trouble(self, trouble: str) -> None:
        """Report once that the connection to the home failed, and once that it recovered. Then reload."""
        before = self.title_line.trouble
        if bool(before) == bool(trouble):
            return
        self.title_line.show_trouble(trouble)
        if trouble:
            said = strings.DISCONNECTED.format(trouble=trouble)
            self.context.say(said, "warning")
            return
        self.context.say(strings.CONNECTED.format(place=self.context.opening.place or "the home"))
        if self.status is None:
            self.action_reload()
        else:
            self.read_status()
            self.search_pane.reconnected()

    @property
    def visited(self) -> list[Pane]:
        """The other panes that the user has opened."""
        return [pane for pane in self.panes.children if isinstance(pane, Pane)]

    @property
    def in_front(self) -> Pane | SearchPane:
        """The current pane."""
        return next((pane for pane in self.visited if pane.id == self.panes.current), self.search_pane)

    @on(Curated)
    def _curated(self) -> None:
        """Documents were edited here: reload at once."""
        self.poller.seen()
        self.corpus_changed()

    @on(ProfileChosen)
    def _profile_chosen(self) -> None:
        self.search_pane.rank_otherwise()

    @on(SettingsRead)
    def _settings_read(self) -> None:
        """Apply reloaded settings: keys, cursor blinking and ranking."""
        self.poller.settings_read()
        self.search_pane.query_line.cursor_blink = self.context.settings.blink
        self.refresh_bindings()
        self.action_reload()

    @property
    def active_bindings(self) -> dict[str, ActiveBinding]:
        """The bindings that apply to the current focus."""
        takes = self.focused.check_consume_key if self.focused is not None else (lambda *_: False)
        return {
            key: binding
            for key, binding in super().active_bindings.items()
            if key != actions.NO_KEY and not takes(key, actions.character(key) or None)
        }

    def corpus_changed(self) -> None:
        """Reload numbers, hits and text, and keep positions."""
        self.read_status()
        self.search_again()

    def search_again(self) -> None:
        """Run the current search again."""
        self.search_pane.post_message(CorpusChanged())

    @on(Worker.StateChanged)
    def _worker_changed(self, event: Worker.StateChanged) -> None:
        """If the home cannot be opened or searched, show that instead of hits. The app reports the reason."""
        if event.state is WorkerState.ERROR and event.worker.group in {"opening", "search"}:
            self.search_pane.engine_failed(failures.in_words(event.worker.error))

    @on(EditAsked)
    def _edit_asked(self, event: EditAsked) -> None:
        file = Path(event.file)
        if self.context.is_elsewhere(strings.WHAT_EDIT):
            return
        if file.resolve() != file:  # an editor follows symbolic links, and followed folders contain none
            self.context.say(strings.LINKED_FILE.format(file=file), "warning")
        elif self.context.edit(file, event.line, event.place):
            self.request(act(operations.corpus.ingest_file, file), group="edited", exclusive=False)

    async def carry_out(self, action: Action) -> None:
        """Run an action in the part of its scope, regardless of the focus. Dialogs have priority."""
        above = self.app.screen
        if above is not self and (place := _place_in(above, action.scope)) is not None:
            await self._run(action, place)
            return
        pane = actions.PANE_OF.get(action.scope)
        around = self.focused.ancestors_with_self if self.focused is not None else []
        here = any(action.scope in actions.scopes_of(node) for node in around)
        if pane is not None and self.panes.current != pane and not here:
            await self.show_pane(pane)
        await self._run(action, self._place(action.scope))

    async def _run(self, action: Action, place: DOMNode) -> None:
        if place.check_action(action.name, ()):
            await self.app.run_action(action.name, place)
        else:
            self.context.say(strings.NOT_HERE.format(action=action.label))

    def _place(self, scope: actions.Scope) -> DOMNode:
        """The part that runs the actions of a scope: the focused one, else the first."""
        if scope == "app":
            return self.app
        around = self.focused.ancestors_with_self if self.focused is not None else []
        places = (node for node in (*around, *self.walk_children()) if scope in actions.scopes_of(node))
        return next(places, self)

    def _come_to(self, name: str) -> None:
        """Reload a pane and move the focus into it."""
        line, last = self.search_pane.query_line, self.search_pane.last_focused
        new = self.status is not None and not self.status.documents
        if name != "search":
            pane = self.query_one(f"#{name}", Pane)
            pane.shown()
            pane.first.focus()
        elif last is line and new and not line.value:
            self.set_focus(None)  # so that digits switch panes
        else:
            last.focus()

    async def show_pane(self, name: str) -> None:
        """Switch to a pane, creating it on first use."""
        if name != "search" and not self.query(f"#{name}"):
            try:
                pane = made(name, self.context)
            except ArkError as error:
                self.context.say_error(error)
                return
            if rules := stylesheet(name):
                self.app.stylesheet.read(rules)
                self.app.stylesheet.parse()  # otherwise the pane would use the old rules
            pane.display = False  # until it is the current one: otherwise both share the window for a moment
            await self.panes.mount(pane)
            if self.status:
                pane.show_status(self.status)
        if self.maximized:
            self.minimize()
        self.panes.current = name
        self.title_line.show_pane(name)
        self._come_to(name)

    @on(CollectionChosen)
    async def _collection_chosen(self, event: CollectionChosen) -> None:
        await self.show_pane("search")
        self.search_pane.narrow_to(event.name)

    @on(ActionChosen)
    async def _action_chosen(self, event: ActionChosen) -> None:
        await self.carry_out(event.action)

    @on(SavedChosen)
    async def _saved_chosen(self, event: SavedChosen) -> None:
        await self.show_pane("search")
        self.search_pane.run_saved(event.name)

    @on(SearchAsked)
    async def _search_asked(self, event: SearchAsked) -> None:
        await self.show_pane("search")
        if isinstance(event.request, str):
            self.search_pane.ask(event.request)
        else:
            self.search_pane.run_again(event.request)

    async def action_query(self) -> None:
        await self.show_pane("search")
        self.search_pane.query_line.focus()

    def action_messages(self) -> None:
        said = reversed(self.context.said)
        rows = [(Text(f"{one.at:%H:%M:%S} {MARKS[one.severity]} ", "bold"), Text(one.text)) for one in said]
        self.context.dialogs.text("Messages", rows or [(Text(), Text(strings.NO_NOTICES))])

    def action_reload(self) -> None:
        if self.status is None:
            self.search_pane.reopening()
            self._open()
        else:
            self.context.opening.look()
            self.corpus_changed()
        if self.panes.current != "search":
            self.query_one(f"#{self.panes.current}", Pane).shown()

    def action_repair(self) -> None:
        self.context.say(strings.CHECKING)

        def repair(client: Client) -> tuple[Check, ...]:
            client.opening.open()
            return client.call(operations.home.doctor, repair=True)

        self.request(repair, self._repaired, group="repair")

    def _repaired(self, checks: tuple[Check, ...]) -> None:
        """Show the findings, those that need action first."""
        order = sorted(checks, key=lambda one: (one.ok is not False, not one.repaired))
        self.context.dialogs.text(strings.CHECKS_TITLE, map(self._finding, order))
        self.action_reload()

    def _finding(self, check: Check) -> ink.Row:
        word: str
        style: Name
        if check.repaired:
            word, style = "repaired", "accent"
        elif check.ok is None:
            word, style = "note", "muted"
        else:
            word, style = ("ok", "muted") if check.ok else ("wrong", "error")
        said = visible_line(self.context.worded(check.detail))
        name = (f"{visible_line(check.name)}: ", "bold")
        return Text(f"{word:<9}", ink.ink(self, style)), Text.assemble(name, said)

    def action_export(self) -> None:
        """Write a report of the home to a file, in the format of its suffix."""

        def export(line: str) -> None:
            write = partial(_write_report, Path(line).expanduser(), self.search_pane.query_line.value.strip())
            self.request(write, self.context.say, group="export", exclusive=False)

        self.context.dialogs.ask(strings.ASK_EXPORT, strings.EXPORT_HINT, export, "~/report.html")

    def action_settings(self) -> None:
        """List all settings, to be changed there or in config.toml."""
        from ark_tui.interfaces.tui.state.setting_names import SettingNames, change

        faults = self.context.faults(self.app.available_themes)
        names = SettingNames(self.context, self.app.theme, faults)
        change_it = partial(change, self.context)
        self.context.dialogs.open("picking.PickScreen", "Settings", names, then=change_it)

    def action_theme(self) -> None:
        self.context.dialogs.themes()

    def action_maximise(self) -> None:
        if self.maximized:
            self.minimize()
        elif self.focused is not None:
            self.maximize(self.focused)

    def action_back(self) -> None:
        if self.maximized:
            self.minimize()
        else:
            self.in_front.step_back()

    def action_focus_next(self) -> None:
        self.focus_next()

    def action_focus_previous(self) -> None:
        self.focus_previous()


for _pane in actions.PANES:
    setattr(Workbench, f"action_{_pane}", partialmethod(Workbench.show_pane, _pane))


def _write_report(path: Path, query: str, client: Client) -> str:
    """Write the overview, and with a query also its results. Return a message for the user.

    Blocks. Raises `ArkError` if the format is unknown or the file cannot be written.
    """
    from ark_tui.interfaces.reports import export

    form = export.format_of(path)
    export.check(path, form)
    names = ("overview", "search") if query else ("overview",)
    files = client.opening.carry_out(client, "reports.export", (names, form, query, "", ()), {})
    export.put({name: b64decode(content) for name, content in files.items()}, path)
    return strings.EXPORTED.format(path=path)


def _place_in(screen: DOMNode, scope: actions.Scope) -> DOMNode | None:
    """The part of a screen that runs the actions of a scope."""
    return next((node for node in screen.walk_children() if scope in actions.scopes_of(node)), None)
