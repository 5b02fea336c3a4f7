"""Base class of the history views."""

from __future__ import annotations

from typing import ClassVar

from textual import getters, on
from textual.content import Content

from ark_tui.domain.display import visible_line
from ark_tui.interfaces.tui.state import actions, strings
from ark_tui.interfaces.tui.state.context import PaneContext
from ark_tui.interfaces.tui.widgets.paged_list import ListDetail, PagedList
from ark_tui.interfaces.tui.widgets.row_list import RowList

ON_ROW = {"open", "copy", "again", "delete"}
"""Actions that need a row under the cursor and a view that supports them."""


class HistoryView(ListDetail):
    """All rows, or those that match some words."""

    SCOPES: ClassVar[actions.Scopes] = ("history",)
    BINDINGS: ClassVar[actions.Bindings] = actions.bindings(*SCOPES)

    NAME: ClassVar[str]
    FIND_HINT: ClassVar[str]
    ON_ROW: ClassVar[frozenset[str]]
    """Actions that need a row under the cursor."""

    NOTHING: ClassVar[str]
    """Text of an empty list."""

    paged = getters.query_one(PagedList)  # type: ignore[type-abstract]

    def __init__(self, context: PaneContext, id: str) -> None:  # noqa: A002 - as Textual calls it
        super().__init__(id=id)
        self.context = context
        self.words = ""  # the words that listed rows match

    def on_mount(self) -> None:
        self.list_words(self.words)

    @property
    def listed(self) -> RowList:
        return self.paged

    def shown(self) -> None:
        """The view was opened: load the current state."""
        self.paged.renew()

    def nothing_fits(self, _words: str) -> str:
        """Text shown when nothing matches."""
        return self.NOTHING

    def list_words(self, words: str) -> None:
        """Set the words to match; none for all rows."""
        self.words, rows = words.strip(), self.paged
        shown = visible_line(self.words)
        rows.nothing = self.nothing_fits(shown) if shown else self.NOTHING
        rows.border_title = Content(f"{rows.BORDER_TITLE}: {shown}" if shown else str(rows.BORDER_TITLE))

    def action_open(self) -> None:
        """Open the row under the cursor."""
        raise NotImplementedError

    @on(RowList.Chosen)
    def _chosen(self) -> None:
        self.action_open()

    def copied(self) -> tuple[str, str] | None:
        """The id of the row under the cursor and a label for it."""
        raise NotImplementedError

    def action_copy(self) -> None:
        """Copy the id of the row under the cursor."""
        if (found := self.copied()) is not None:
            self.context.copy(*found)
        else:
            self.context.say(strings.NOTHING_TO_COPY)

    def narrow(self, words: str) -> None:
        """List the rows that match some words; all without words."""
        self.list_words(words)
        self.paged.renew(top=True)
        self.paged.focus()

    def step_back(self) -> bool:
        """Go from the detail to the list, then from matches to all rows. Return False if neither applies."""
        if super().step_back():
            return True
        before = self.words
        if before:
            self.narrow("")
        return bool(before)

    def check_action(self, action: str, _parameters: tuple[object, ...]) -> bool | None:
        """Enable row actions only with a row under the cursor and if the view supports them."""
        return action not in ON_ROW or (action in self.ON_ROW and self.listed.count > 0)

    def action_again(self) -> None:
        """Run the row under the cursor again."""

    def action_delete(self) -> None:
        """Delete the row under the cursor."""

    def action_find(self) -> None:
        """Ask for words and list the matching rows."""
        self.context.dialogs.ask(f"Find in {self.NAME.lower()}", self.FIND_HINT, self.narrow)
