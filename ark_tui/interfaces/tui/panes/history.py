"""The history pane: conversations and searches."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.widgets import ContentSwitcher

from ark_tui.interfaces.tui.panes.conversations import ConversationsView
from ark_tui.interfaces.tui.panes.history_view import HistoryView
from ark_tui.interfaces.tui.panes.pane import ViewsPane
from ark_tui.interfaces.tui.panes.searches import SearchesView
from ark_tui.interfaces.tui.state import actions, strings
from ark_tui.interfaces.tui.widgets.title_line import ViewsLine

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.widget import Widget

    from ark_tui.interfaces.tui.state.context import PaneContext

VIEWS: tuple[type[HistoryView], ...] = (ConversationsView, SearchesView)


class HistoryPane(ViewsPane):
    """Switches between conversations and searches."""

    SCOPES: ClassVar[actions.Scopes] = ("views",)
    BORDER_TITLE = "History"
    HELP = strings.HELP_HISTORY

    VIEWS: ClassVar = {f"{view.NAME.lower()}-view": view.NAME for view in VIEWS}

    def __init__(self, context: PaneContext) -> None:
        super().__init__(context, id="history")

    @property
    def view(self) -> HistoryView:
        """The current view."""
        return self.query_one(f"#{self.in_front}", HistoryView)

    @property
    def first(self) -> Widget:
        return self.view.first

    def compose(self) -> ComposeResult:
        yield ViewsLine(self.VIEWS)
        with ContentSwitcher(initial=next(iter(self.VIEWS)), id="views"):
            for made, view in zip(VIEWS, self.VIEWS, strict=True):
                yield made(self.context, view)

    def shown(self) -> None:
        self.view.shown()

    def home_changed(self) -> None:
        """Reload the list; the cursor stays on its row."""
        self.view.shown()

    def step_back(self) -> bool:
        """Go from the detail to the list, then from search results to all rows."""
        return self.view.step_back()

    def go_to(self, view: str) -> None:
        """Switch to a view."""
        self.turn_to(view)
        self.view.shown()
        self.view.first.focus()
