"""Base classes: panes other than the search, and panes with several views."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partialmethod
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import getters, on
from textual.containers import Container
from textual.widgets import ContentSwitcher

from ark_tui.interfaces.tui.state import actions
from ark_tui.interfaces.tui.widgets.requesting import Requesting
from ark_tui.interfaces.tui.widgets.title_line import ViewsLine

if TYPE_CHECKING:
    from textual.widget import Widget

    from ark_tui.domain.work import Status
    from ark_tui.interfaces.tui.state.context import PaneContext


class Pane(Requesting, Container):
    """A pane of the workbench."""

    def __init__(self, context: PaneContext, *, id: str) -> None:  # noqa: A002 - as Textual calls it
        super().__init__(id=id)
        self.context = context

    @property
    def first(self) -> Widget:
        """The widget that gets the focus when the pane is opened."""
        raise NotImplementedError

    def shown(self) -> None:
        """The pane was opened or is to be reloaded: load the current state."""

    def step_back(self) -> bool:
        """Go one step back inside the pane. Return False if there is none."""
        return False

    def show_status(self, _status: Status) -> None:
        """Show the state of the home, which is read after every change of the corpus."""


def stylesheet(name: str) -> Path | None:
    """The stylesheet of a pane, located on first use. None if it has none."""
    file = Path(__file__).with_name(f"{name}.tcss")
    return file if file.is_file() else None


def made(name: str, context: PaneContext) -> Pane:
    """Create a pane, imported on first use."""
    module = import_module(f"ark_tui.interfaces.tui.panes.{name}")
    pane: Pane = getattr(module, f"{name.capitalize()}Pane")(context)
    return pane


class ViewsPane(Pane):
    """A pane with a line of views and a switcher `#views` that contains them."""

    BINDINGS: ClassVar[actions.Bindings] = actions.bindings("views")

    VIEWS: ClassVar[Mapping[str, str]]
    """Id and name of each view, from left to right."""

    views = getters.query_one("#views", ContentSwitcher)
    views_line = getters.query_one(ViewsLine)

    def on_mount(self) -> None:
        keys = self.context.keys
        self.views_line.say_keys(keys["views.previous-view"], keys["views.next-view"])
        self.views_line.show(self.in_front)

    @property
    def in_front(self) -> str:
        """The id of the current view."""
        return str(self.views.current)

    def turn_to(self, view: str) -> None:
        """Switch to a view."""
        self.views.current = view
        self.views_line.show(view)

    def go_to(self, view: str) -> None:
        """Switch to a view, load it and focus it."""
        raise NotImplementedError

    @on(ViewsLine.Clicked)
    def _view_clicked(self, event: ViewsLine.Clicked) -> None:
        self.go_to(event.view)

    def _step(self, step: int) -> None:
        names = list(self.VIEWS)
        self.go_to(names[(names.index(self.in_front) + step) % len(names)])

    action_next_view = partialmethod(_step, +1)
    action_previous_view = partialmethod(_step, -1)
