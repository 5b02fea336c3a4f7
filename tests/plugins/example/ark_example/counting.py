"""A pane: how many documents there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.widgets import Static

from ark_tui.interfaces.tui.panes.pane import Pane

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.widget import Widget

    from ark_tui.domain.work import Status


class CountingPane(Pane):
    """Counts."""

    def compose(self) -> ComposeResult:
        """One line."""
        line = Static(id="count")
        line.can_focus = True
        yield line

    @property
    def first(self) -> Widget:
        """The line."""
        return self.query_one("#count")

    def show_status(self, status: Status) -> None:
        """The number, after every change."""
        self.query_one("#count", Static).update(f"{status.documents} counted by a plugin")
