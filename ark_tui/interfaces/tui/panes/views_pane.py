"""Panes of several views, of which one is in front."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from textual import getters, on
from textual.widgets import ContentSwitcher

from ark_tui.interfaces.tui.panes.pane import Pane
from ark_tui.interfaces.tui.widgets.views_line import ViewsLine, ViewTab


class ViewsPane(Pane):
    """A line with the views, and a switcher `#views` that holds them."""

    VIEWS: ClassVar[Mapping[str, str]]
    """Id and name of each view, from left to right."""

    views = getters.query_one("#views", ContentSwitcher)
    views_line = getters.query_one(ViewsLine)

    def on_mount(self) -> None:
        keys = self.context.keys
        self.views_line.say_keys(keys[f"{self.id}.previous-view"], keys[f"{self.id}.next-view"])
        self.views_line.show(self.in_front)

    @property
    def in_front(self) -> str:
        """The view in front, by its id."""
        return str(self.views.current)

    def turn_to(self, view: str) -> None:
        """Bring a view to the front."""
        self.views.current = view
        self.views_line.show(view)

    def go_to(self, view: str) -> None:
        """Bring a view to the front, look up what it lists, and focus it."""
        raise NotImplementedError

    @on(ViewTab.Clicked)
    def _tab_clicked(self, event: ViewTab.Clicked) -> None:
        self.go_to(event.view)

    def action_next_view(self) -> None:
        self._step(+1)

    def action_previous_view(self) -> None:
        self._step(-1)

    def _step(self, step: int) -> None:
        names = list(self.VIEWS)
        self.go_to(names[(names.index(self.in_front) + step) % len(names)])
