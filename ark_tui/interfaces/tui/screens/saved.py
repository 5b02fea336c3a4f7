"""The saved searches: a query with its filters under a name. Run, rename or delete them."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.style import Style
from textual import getters, on
from textual.content import Content

from ark_tui import operations
from ark_tui.domain.curation import Done, SavedSearch
from ark_tui.domain.display import visible_line
from ark_tui.domain.query import SAVED, Request
from ark_tui.domain.searches import SavedDiff
from ark_tui.interfaces.tui.panes.searches import Answers
from ark_tui.interfaces.tui.screens.dialog import Dialog
from ark_tui.interfaces.tui.state import actions, strings
from ark_tui.interfaces.tui.state.client import act
from ark_tui.interfaces.tui.state.wording import moment, unusual_ranking
from ark_tui.interfaces.tui.widgets import ink
from ark_tui.interfaces.tui.widgets.row_list import RowList, Rows
from ark_tui.operations.operation import WHOLE, Page

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.app import ComposeResult

    from ark_tui.interfaces.tui.state.client import Act
    from ark_tui.interfaces.tui.state.context import PaneContext


class SavedList(Rows[SavedSearch]):
    """Saved searches, two lines each: the name; query and ranking."""

    HELP = strings.HELP_SAVED
    ROW_HEIGHT = 2
    empty = "Reading …"

    def __init__(self, id: str) -> None:  # noqa: A002 - as Textual calls it
        super().__init__(id)
        self.diffs: dict[str, SavedDiff] = {}  # by name, once loaded

    def know(self, diffs: Sequence[SavedDiff]) -> None:
        """Set the changes in the results of each search."""
        self.diffs = {one.name: one for one in diffs}
        self.refresh()

    def pieces(self, row: SavedSearch, part: int, width: int) -> list[ink.Piece]:
        if part == 0:
            said, muted = unusual_ranking(row.request), self.ink("muted")
            right: list[ink.Piece] = [(f"  {said}", muted)] if said else []
            right.append((f"  {self._changed(row.name)}", self.ink("accent")))
            return ink.ended(f"{SAVED}{row.name}", self.ink("strong"), right, width)
        return [(ink.shorten(f"  {visible_line(row.request.query)}", width), Style.null())]

    def _changed(self, name: str) -> str:
        """The changes in a search's results since they were last seen."""
        one = self.diffs.get(name)
        if one is None:
            return ""
        if one.problem:
            return visible_line(one.problem)
        less = f", without {visible_line('; '.join(one.off))}" if one.off else ""
        return (one.counts or strings.NO_CHANGES if one.looked else strings.SAVED_NEVER_RUN) + less


class SavedScreen(Dialog[str]):
    """Returns the name of the search to run."""

    SCOPES: ClassVar[actions.Scopes] = ("saved", "dialog")
    BINDINGS: ClassVar[actions.Bindings] = actions.bindings("saved")
    AUTO_FOCUS = "SavedList"

    rows = getters.query_one(SavedList)
    changes = getters.query_one(Answers)

    def __init__(self, context: PaneContext, present: Request | None) -> None:
        """`present`: the current search, which can be saved."""
        super().__init__(context)
        self._present = present
        self._name = ""  # name of the row for the cursor

    def compose(self) -> ComposeResult:
        yield SavedList("saved")
        yield Answers()

    def on_mount(self) -> None:
        self.rows.border_title = Content("Saved searches")
        self.rows.border_subtitle = Content(self.closes)
        self._read()

    def home_changed(self) -> None:
        self._read()

    def _read(self) -> None:
        self.request(act(operations.saved.list_, WHOLE), self._show, group="saved")

    def _show(self, found: Page[SavedSearch]) -> None:
        before = self._name or (self.rows.here.name if self.rows.here else "")
        self._name = ""
        add = self.context.keys["saved.add"]
        self.rows.empty = strings.NO_SAVED.format(key=add)
        self.rows.put(found.items, keep=True)
        names = [item.name for item in found.items]
        self.rows.cursor = names.index(before) if before in names else self.rows.cursor
        self.request(act(operations.saved.diff), self._compared, group="diffs")

    def _compared(self, diffs: tuple[SavedDiff, ...]) -> None:
        self.rows.know(diffs)
        self._show_changes()

    @on(RowList.Moved, "#saved")
    def _show_changes(self) -> None:
        """Show the changes in the selected search."""
        here = self.rows.here
        one = self.rows.diffs.get(here.name) if here else None
        self.changes.set_class(bool(one and one.moves), "-some")
        if one and one.moves and one.looked:
            self.changes.show(one.moves, f"{SAVED}{one.name} since {moment(one.looked)}", "")

    @on(RowList.Chosen, "#answers")
    def _read_document(self) -> None:
        if (here := self.changes.here) is not None and self.rows.here is not None:
            self.context.dialogs.read(here.document, "", self.rows.here.request.query)

    @on(RowList.Chosen, "#saved")
    def action_open(self) -> None:
        if one := self._here():
            self.dismiss(one.name)

    def action_add(self) -> None:
        present = self._present
        if present is None:
            self.context.say(strings.NO_SEARCH_TO_SAVE)
        else:
            save = operations.workbench.save_search
            self._ask(f"Save “{present.query}” as", "", lambda name: act(save, name, present))

    def action_rename(self) -> None:
        if one := self._here():
            rename, name = operations.saved.rename, one.name
            self._ask(f"Rename {SAVED}{name}", name, lambda to: act(rename, name, to))

    def action_delete(self) -> None:
        if one := self._here():
            self._do(act(operations.saved.delete, one.name))

    def action_undo(self) -> None:
        self._do(act(operations.curation.undo), undo=False)

    def _here(self) -> SavedSearch | None:
        if self.rows.here is None:
            self.context.say(strings.NO_SAVED_SELECTED)
        return self.rows.here

    def _ask(self, title: str, value: str, make: Callable[[str], Act[Done]]) -> None:
        def answered(name: str) -> None:
            self._name = name.removeprefix(SAVED)
            self._do(make(name))

        self.context.dialogs.ask(title, strings.NAME_HINT, answered, value)

    def _do(self, edit: Act[Done], *, undo: bool = True) -> None:
        undoes = strings.KEY_UNDO.format(key=self.context.keys["saved.undo"]) if undo else ""
        self.edit(edit, lambda done: self.context.say_done(done, undoes), after=self._read)
