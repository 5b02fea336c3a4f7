"""What the views of the history have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import getters, on
from textual.content import Content

from ark_tui.domain.display import visible_line
from ark_tui.interfaces.tui.state import strings
from ark_tui.interfaces.tui.widgets.paged_list import ListDetail, PagedList
from ark_tui.interfaces.tui.widgets.row_list import RowList

if TYPE_CHECKING:
    from ark_tui.interfaces.tui.state.context import PaneContext


ON_ROW = {"open", "copy", "again", "delete"}
"""Actions that no view carries out without something under the cursor, and not every one with it."""


class HistoryView(ListDetail):
    """All there is, or what fits some words. The pane hands its actions on to it."""

    NAME: ClassVar[str]
    FIND_HINT: ClassVar[str]
    ON_ROW: ClassVar[frozenset[str]]
    """Actions that want something under the cursor."""

    NOTHING: ClassVar[str]
    """What stands where there is nothing to list."""

    paged = getters.query_one(PagedList)  # type: ignore[type-abstract]

    def __init__(self, context: PaneContext, id: str) -> None:  # noqa: A002 - as Textual calls it
        super().__init__(id=id)
        self.context = context
        self.words = ""  # what is listed fits them

    def on_mount(self) -> None:
        self.list_words(self.words)

    @property
    def listed(self) -> RowList:
        return self.paged

    def shown(self) -> None:
        """Somebody has come here: show what there is now."""
        self.paged.renew()

    def nothing_fits(self, words: str) -> str:
        """What stands where nothing fits some words."""
        del words
        return self.NOTHING

    def list_words(self, words: str) -> None:
        """What is listed next fits some words, or is everything."""
        self.words, rows = words.strip(), self.paged
        shown = visible_line(self.words)
        rows.nothing = self.nothing_fits(shown) if shown else self.NOTHING
        rows.border_title = Content(f"{rows.BORDER_TITLE}: {shown}" if shown else str(rows.BORDER_TITLE))

    def open(self) -> None:
        """Open what is under the cursor."""
        raise NotImplementedError

    @on(RowList.Chosen)
    def _chosen(self) -> None:
        self.open()

    def copied(self) -> tuple[str, str] | None:
        """What the row under the cursor is known by, and what that is."""
        raise NotImplementedError

    def copy(self) -> None:
        """Copy what the row under the cursor is known by."""
        if (found := self.copied()) is not None:
            self.context.copy(*found)
        else:
            self.context.say(strings.NOTHING_TO_COPY)

    def narrow(self, words: str) -> None:
        """List what fits some words; everything where there are none."""
        self.list_words(words)
        self.paged.renew(top=True)
        self.paged.focus()

    def step_back(self) -> bool:
        """From the detail to the list, and from what was found to all there is; False where there is none."""
        if super().step_back():
            return True
        before = self.words
        if before:
            self.narrow("")
        return bool(before)

    def can(self, action: str) -> bool:
        """Whether one of the pane's actions leads somewhere here."""
        return action not in ON_ROW or (action in self.ON_ROW and self.listed.count > 0)

    def again(self) -> None:
        """Run what is under the cursor again."""

    def delete(self) -> None:
        """Delete what is under the cursor."""

    def find(self) -> None:
        """Ask for words, and list what fits them."""
        self.context.dialogs.ask(strings.ASK_FIND.format(view=self.NAME.lower()), self.FIND_HINT, self.narrow)
