"""One line with the views of a pane: which there are, how much is in each, and which one is in front."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Static

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.app import ComposeResult


BESIDE = 2
"""Cells beside the name of a view; one where it is narrow."""


class ViewTab(Static):
    """The name of a view, to be clicked."""

    ALLOW_SELECT = False

    @dataclass
    class Clicked(Message):
        """Somebody wants to see the view."""

        view: str

    def __init__(self, view: str, name: str) -> None:
        super().__init__(Text(name), id=f"view-{view}")
        self.view = view
        self._called = self._shown = name
        self.said = name

    def say(self, count: int | None) -> None:
        """How much is in it; None where nobody has counted."""
        self.said = f"{self._called} {count:,}" if count else self._called

    def write(self, *, counted: bool) -> None:
        """Show its name, and how much is in it where there is room."""
        shown = self.said if counted else self._called
        if shown != self._shown:
            self._shown = shown
            self.update(Text(shown))

    def on_click(self) -> None:
        self.post_message(self.Clicked(self.view))


class ViewsLine(Horizontal):
    """The views in a row."""

    DEFAULT_CSS = """
    ViewsLine {
        height: 1;
        padding: 0 1;
        ViewTab { width: auto; padding: 0 1; color: $foreground 80%; }
        &.-tight { padding: 0; }
        &.-tight ViewTab { padding: 0 1 0 0; }
        ViewTab.-here { color: $text-primary; text-style: bold underline; }
        ViewTab:hover { background: $foreground 15%; }
        #turns { width: 1fr; text-align: right; color: $foreground 60%; }
    }
    """

    def __init__(self, views: Mapping[str, str]) -> None:
        """`views`: id and name of each."""
        super().__init__()
        self._views = views
        self._turns = 0  # cells of the keys

    def compose(self) -> ComposeResult:
        for view, name in self._views.items():
            yield ViewTab(view, name)
        yield Static(id="turns")

    def say_keys(self, before: str, after: str) -> None:
        """By which keys one goes from view to view."""
        self.query_one("#turns", Static).update(Text(f"{before} {after}"))
        self._turns = cell_len(f"{before} {after}")

    def show(self, view: str) -> None:
        """Bring a view to the front."""
        for tab in self.query(ViewTab):
            tab.set_class(tab.view == view, "-here")

    def count(self, view: str, count: int | None) -> None:
        """There is so much in a view."""
        self.query_one(f"#view-{view}", ViewTab).say(count)
        self._make_room()

    def on_resize(self) -> None:
        self._make_room()

    def _make_room(self) -> None:
        """Where it is narrow, first the keys go, then what is between the names, then the numbers."""
        tabs = self.query(ViewTab)
        room = self.size.width - sum(cell_len(tab.said) + BESIDE for tab in tabs)
        self.query_one("#turns").display = room >= self._turns
        self.set_class(room < 0, "-tight")
        for tab in tabs:
            tab.write(counted=room + len(tabs) >= 0)
