"""One line with the views of a pane: which there are, how much is in each, and which one is in front."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.text import Text
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Static

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.app import ComposeResult


class ViewTab(Static):
    """The name of a view, to be clicked."""

    ALLOW_SELECT = False

    @dataclass
    class Clicked(Message):
        """Somebody wants to see the view."""

        view: str

    def __init__(self, view: str, name: str) -> None:
        super().__init__(Text(f" {name} "), id=f"view-{view}")
        self.view = view
        self._name = name
        self._count: int | None = None

    def say(self, count: int | None) -> None:
        """Show how much is in it; None where nobody has counted."""
        if count != self._count:
            self._count = count
            self.update(Text(f" {self._name} {count:,} " if count else f" {self._name} "))

    def on_click(self) -> None:
        self.post_message(self.Clicked(self.view))


class ViewsLine(Horizontal):
    """The views in a row."""

    DEFAULT_CSS = """
    ViewsLine {
        height: 1;
        padding: 0 1;
        ViewTab { width: auto; color: $foreground 80%; }
        ViewTab.-here { color: $text-primary; text-style: bold underline; }
        ViewTab:hover { background: $foreground 15%; }
        #turns { width: 1fr; text-align: right; color: $foreground 60%; }
    }
    """

    def __init__(self, views: Mapping[str, str]) -> None:
        """`views`: id and name of each."""
        super().__init__()
        self._views = views

    def compose(self) -> ComposeResult:
        for view, name in self._views.items():
            yield ViewTab(view, name)
        yield Static(id="turns")

    def say_keys(self, before: str, after: str) -> None:
        """By which keys one goes from view to view."""
        self.query_one("#turns", Static).update(Text(f"{before} {after}"))

    def show(self, view: str) -> None:
        """Bring a view to the front."""
        for tab in self.query(ViewTab):
            tab.set_class(tab.view == view, "-here")

    def count(self, view: str, count: int | None) -> None:
        """There is so much in a view."""
        self.query_one(f"#view-{view}", ViewTab).say(count)
