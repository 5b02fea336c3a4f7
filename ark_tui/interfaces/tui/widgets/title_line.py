"""The title line of the workbench, and the line of views of a pane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rich.style import Style
from rich.text import Text
from textual.message import Message
from textual.widget import Widget

from ark_tui.domain.wording import counted
from ark_tui.interfaces.tui.state import actions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ark_tui.domain.work import FileState, Status


OFFLINE = "disconnected"
"""Text in place of the coverage while the home is unreachable."""

LEFT: tuple[FileState, ...] = ("waiting", "away", "skipped", "failed")
"""States of files that are not fully indexed."""

COUNT = 14
"""Minimum cells for the coverage beside the program's name."""

DIGIT = "1", "1"
"""A key and character that text fields consume."""


class TitleLine(Widget):
    """The title line, which is always visible: the panes with their keys, and the coverage."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"title--program", "title--here"}

    def __init__(self) -> None:
        super().__init__()
        self.auto_links = False  # its colors say what is current
        self._status: Status | None = None
        self.trouble = ""
        self._here = ""
        self._key = (
            "alt+"  # the modifier of the digits in a text field: the query line has the focus at first
        )

    def on_mount(self) -> None:
        self.watch(self.screen, "focused", self._focus_moved, init=False)

    def _focus_moved(self, focused: Widget | None) -> None:
        """While a text field has the focus, show the keys with their modifier."""
        key = "alt+" if focused is not None and focused.check_consume_key(*DIGIT) else ""
        if key != self._key and self.screen.is_current:
            self._key = key
            self.refresh()

    def show_pane(self, pane: str) -> None:
        """Highlight the current pane."""
        self._here = pane
        self.refresh()

    def show_status(self, status: Status) -> None:
        """Show the number of documents and of files that are not searchable."""
        self._status = status
        self.refresh()

    def show_trouble(self, trouble: str) -> None:
        """Show a connection error in place of the coverage; empty if there is none."""
        self.trouble = trouble
        self.refresh()

    def render(self) -> Text:
        """The line. If it is too long, it loses the program's name, all modifiers but one, then names."""
        width, program = self.size.width, Text(" ark-tui ", self._style("program"))
        once = Text(f" {self._key}" if self._key else "", self._style("program"))
        named, short = self._tabs("", named=True), self._tabs("", named=False)
        forms = program + self._tabs(self._key, named=True), self._tabs(self._key, named=True), once + named
        least = width - COUNT, width, width
        fitting = (form for form, most in zip(forms, least, strict=True) if form.cell_len <= most)
        line = next(fitting, once + short)
        said = OFFLINE if self.trouble else coverage(self._status) if self._status else ""
        shorter = said.replace(" documents", " docs")
        room = width - line.cell_len - 1
        state = next((one for one in (said, shorter, shorter.split(" · ")[0]) if len(one) <= room), "")
        return line + Text(state.rjust(room))

    def _tabs(self, key: str, *, named: bool) -> Text:
        """The panes, each with its key. The current one always has its name."""
        line = Text(no_wrap=True)
        for number, pane in enumerate(actions.PANES, 1):
            here = pane == self._here
            name = f" {pane.capitalize()}" if named or here else ""
            style = self._style("here") if here else Style.null()
            line.append(f" {key}{number}{name} ", style + Style(meta={"@click": f"screen.{pane}"}))
        return line

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(f"title--{name}", partial=True)


def coverage(status: Status) -> str:
    """`110 documents · 2 skipped`."""
    said = [counted(status.documents, "document")]
    said += [f"{count} {state}" for state in LEFT if (count := status.coverage.get(state))]
    said += [f"{follower.name}: trouble" for follower in status.followers if follower.problem]
    return " · ".join(said)


class ViewsLine(Widget):
    """The views of a pane in a row, with the number of their rows and the keys that switch them."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"views--here"}

    @dataclass
    class Clicked(Message):
        """A view was clicked."""

        view: str

    def __init__(self, views: Mapping[str, str]) -> None:
        """`views`: id and name of each."""
        super().__init__()
        self.auto_links = False  # its colors say what is current
        self._views, self._counts = views, dict[str, int]()
        self._here = ""
        self._keys = ""

    def say_keys(self, before: str, after: str) -> None:
        """Show the keys that switch views."""
        self._keys = f"{before} {after}"
        self.refresh()

    def show(self, view: str) -> None:
        """Switch to a view."""
        self._here = view
        self.refresh()

    def count(self, view: str, count: int) -> None:
        """Set the number of rows of a view."""
        self._counts[view] = count
        self.refresh()

    def action_turn_to(self, view: str) -> None:
        self.post_message(self.Clicked(view))

    def render(self) -> Text:
        """The line. In a narrow window it loses the gaps between names, then the numbers."""
        width = self.size.width
        forms = (self._written("  ", counted=True), self._written(" ", counted=True))
        line = next((form for form in forms if form.cell_len <= width), self._written(" ", counted=False))
        room = width - line.cell_len - 1
        return line + Text(self._keys.rjust(room) if room >= len(self._keys) else "")

    def _written(self, gap: str, *, counted: bool) -> Text:
        line = Text(no_wrap=True)
        for view, name in self._views.items():
            count = f" {self._counts[view]:,}" if counted and self._counts.get(view) else ""
            here = view == self._here
            style = self.get_component_rich_style("views--here", partial=True) if here else Style.null()
            line.append(gap)
            line.append(f"{name}{count}", style + Style(meta={"@click": f"turn_to({view!r})"}))
        return line
