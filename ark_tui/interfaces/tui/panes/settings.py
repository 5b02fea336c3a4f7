"""The settings pane: values, origins and descriptions. Some settings can be changed here."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual import getters, on
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from ark_tui import operations
from ark_tui.domain.display import visible_line
from ark_tui.domain.errors import ArkError
from ark_tui.interfaces.tui.panes.pane import Pane
from ark_tui.interfaces.tui.state import actions, strings
from ark_tui.interfaces.tui.state.messages import ProfileChosen, SettingsRead, WorkAsked
from ark_tui.interfaces.tui.state.setting_rows import Known, Row, Section, sections
from ark_tui.interfaces.tui.widgets import ink
from ark_tui.interfaces.tui.widgets.paged_list import ListDetail
from ark_tui.interfaces.tui.widgets.row_list import RowList, Rows
from ark_tui.interfaces.tui.widgets.scrolling import ScrolledText
from ark_tui.settings import editing, template

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult

    from ark_tui.domain.models import Models
    from ark_tui.domain.work import Status
    from ark_tui.interfaces.tui.state.client import Client
    from ark_tui.interfaces.tui.state.context import PaneContext

NAMES = (13, 40)
"""Minimum and maximum width of the column of names."""

ORIGINS_FROM = 44
"""Minimum width in cells at which rows show the origin of their value."""


class Sections(Rows[Section]):
    """List of the sections."""

    KEY = "name"
    BORDER_TITLE = "Settings"

    def show(self, shown: tuple[Section, ...]) -> None:
        """Show sections; the cursor stays on its section."""
        self.put(shown, keep=True)

    def pieces(self, row: Section, _part: int, width: int) -> list[ink.Piece]:
        style = self.ink("error" if row.name == "Wrong" else "strong")
        return [(ink.shorten(row.name, width), style)]


class Values(Rows[Row]):
    """The rows of a section: name, value and origin."""

    KEY = "name"
    BORDER_TITLE = "Values"

    def __init__(self) -> None:
        super().__init__("values")
        self._names = 0  # width of the column of names in cells

    def show(self, rows: tuple[Row, ...], *, keep: bool) -> None:
        """Show rows, from the first one or with the cursor kept."""
        widest = max((len(row.name) for row in rows), default=0) + 2
        self._names = min(max(widest, NAMES[0]), NAMES[1])
        self.put(rows, keep=keep)

    def pieces(self, row: Row, _part: int, width: int) -> list[ink.Piece]:
        right = self._right(row, width)
        name = ink.shorten(visible_line(row.name), self._column(width) - 2).ljust(self._column(width))
        value = ink.shorten(visible_line(row.value), self._room(row, width))
        return ink.justified([(name, self._tone(row)), (value, Style.null())], right, width)

    def fits(self, row: Row) -> bool:
        """Whether a row shows its complete value."""
        width = self.scrollable_content_region.width - 2
        return cell_len(visible_line(row.value)) <= self._room(row, width)

    def _column(self, width: int) -> int:
        return min(self._names, max(8, width // 2))

    def _room(self, row: Row, width: int) -> int:
        return width - self._column(width) - ink.cells(self._right(row, width))

    def _right(self, row: Row, width: int) -> list[ink.Piece]:
        if not row.origin or width < ORIGINS_FROM:
            return []
        return [(f"  {ink.shorten(visible_line(row.origin), width // 3)}", self._origin(row))]

    def _tone(self, row: Row) -> Style:
        if row.tone == "wrong":
            return self.ink("error")
        return self.ink("accent") + Style(bold=True) if row.tone == "here" else self.ink("strong")

    def _origin(self, row: Row) -> Style:
        return self.ink("muted" if row.origin in {"default", "shipped"} else "accent")


class SettingsPane(ListDetail, Pane):
    """Sections, the rows of one section, and the description of the selected row."""

    SCOPES: ClassVar[actions.Scopes] = ("settings",)
    BINDINGS: ClassVar[actions.Bindings] = actions.bindings(*SCOPES)
    BORDER_TITLE = "Settings"
    HELP = strings.HELP_SETTINGS
    AT_ONCE = True

    sections = getters.query_one(Sections)
    values = getters.query_one(Values)
    about = getters.query_one("#about", ScrolledText)

    def __init__(self, context: PaneContext) -> None:
        super().__init__(context, id="settings")
        self._models: Models | None = None
        self._models_problem = ""
        self._in_use = ""
        self._showing: Section | None = None

    @property
    def listed(self) -> Sections:
        return self.sections

    def compose(self) -> ComposeResult:
        yield Sections("sections")
        with Vertical(id="setting"):
            yield Values()
            with ScrolledText(id="about", classes="panel"):
                yield Static()

    def on_mount(self) -> None:
        self.app.theme_changed_signal.subscribe(self, lambda _: self.refresh_rows())

    def shown(self) -> None:
        self.refresh_rows()
        self._ask()

    def show_status(self, _status: Status) -> None:
        if self.display and self.is_mounted:
            self._ask()

    def check_action(self, action: str, _parameters: tuple[object, ...]) -> bool | None:
        """Disable the keys for settings that cannot be changed here."""
        row = self.values.here
        return (
            self.sections.has_focus or (row is not None and row.change != "") if action == "change" else True
        )

    def _ask(self) -> None:
        """Ask for the available models. May take as long as a server timeout."""

        def read(client: Client) -> tuple[Models, str]:
            return client.call(operations.corpus.list_models), client.call(operations.workbench.profile)

        def failed(error: ArkError) -> None:
            self._know(None, "", error.what)

        self.request(read, lambda found: self._know(*found), failed, group="models")

    def _know(self, models: Models | None, in_use: str, problem: str = "") -> None:
        self._models, self._in_use, self._models_problem = models, in_use, problem
        self.refresh_rows()

    def refresh_rows(self) -> None:
        """Show the current settings."""
        of, app = self.context, self.app
        self._known = Known(
            of.settings, of.keymap, of.remembered, app.theme, of.profile, self._faults(),
            self._models, self._models_problem, self._in_use,
        )  # fmt: skip
        self.sections.show(sections(self._known))
        self.show_here()

    def _faults(self) -> tuple[str, ...]:
        return self.context.faults(self.app.available_themes)

    def show_here(self) -> None:
        section = self.sections.here
        if section is None:
            return
        rows = tuple(section.rows(self._known))
        self.values.show(rows, keep=section is self._showing)
        self._showing = section
        self.values.border_title = Content(f"{section.name}: {section.about}")
        self._explain()

    @on(RowList.Moved, "#values")
    def _explain(self) -> None:
        """Show all details of the row under the cursor."""
        self.refresh_bindings()
        row = self.values.here
        if row is None:
            self.about.query_one(Static).update("")
            return
        text = Text(visible_line(row.about))
        cut = not self.values.fits(row) and row.value not in row.about
        for name, value in (("value", row.value if cut else ""), *row.more):
            if value:
                text.append(f"\n{name}: ", "bold")
                text.append(visible_line(value))
        self.about.border_title = Content(visible_line(row.name))
        self.about.border_subtitle = Content(self._offers(row))
        self.about.query_one(Static).update(text)

    def _offers(self, row: Row) -> str:
        keys = self.context.keys
        said = [strings.CHANGE_KEY.format(key=keys["settings.change"])] if row.change else []
        said += [strings.EDIT_KEY.format(key=keys["settings.edit"])] if row.path else []
        return " · ".join(said)

    @on(RowList.Chosen, "#sections")
    def _section_chosen(self) -> None:
        self.values.focus()

    @on(RowList.Chosen, "#values")
    def _value_chosen(self) -> None:
        self.action_change()

    def on_key(self, event: events.Key) -> None:
        if event.key == "enter" and self.values.has_focus:  # it has no key here: say why
            event.stop()
            self.action_change()

    def action_change(self) -> None:
        row = self.values.here
        if self.sections.has_focus:
            self.values.focus()
        elif row is None or not row.change:
            edit = self.context.keys["settings.edit"]
            self.context.say(
                strings.SET_IN_CONFIG.format(key=edit) if row and row.path else strings.NOT_CHANGEABLE
            )
        elif row.change == "model":
            self.post_message(WorkAsked("model", row.argument))
        else:
            getattr(self, f"_change_{row.change}")(row.argument)
            self.refresh_rows()

    def _change_theme(self, _: str) -> None:
        self.context.dialogs.themes()

    def _change_profile(self, name: str) -> None:
        """Select a ranking profile for this workbench; the one of the settings clears the choice."""
        self.context.remember(profile="" if name == self._in_use else name)
        self.context.say(strings.PROFILE_CHOSEN.format(name=name))
        self.post_message(ProfileChosen())

    def _change_own_profile(self, _: str) -> None:
        self._change_profile(self._in_use)

    def _change_writer(self, name: str) -> None:
        """Toggle an Ollama model as the chat model."""
        home, chosen = self.context.settings.home, self.context.settings.chat_model
        try:
            if name == chosen:
                editing.take(home, "chat_model")
            else:
                editing.put(home, "chat_model", name)
        except ArkError as error:
            self.context.say_error(error)
            return
        self.action_reread()

    def action_edit(self) -> None:
        home, row = self.context.settings.home, self.values.here
        try:
            if template.ensure(home):
                self.context.say(strings.CONFIG_WRITTEN.format(path=home.config))
            line = self._line(row)
        except ArkError as error:
            self.context.say_error(error)
            return
        if self.context.edit(home.config, line, ""):
            self.action_reread()

    def _line(self, row: Row | None) -> int:
        if row is None or not row.path:
            return 1
        if not row.path[0]:
            return int(row.path[1]) if len(row.path) > 1 and row.path[1].isdigit() else 1
        return template.line(self.context.settings.home, row.path)

    def action_reread(self) -> None:
        """Read config.toml again."""
        before = self.context.settings
        self.context.reread()
        if not self._faults():
            same = replace(before, reload=None) == replace(self.context.settings, reload=None)
            self.context.say(strings.CONFIG_UNCHANGED if same else strings.CONFIG_READ)
        self.post_message(SettingsRead())
        self.shown()
