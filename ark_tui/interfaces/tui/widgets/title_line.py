"""The title line of the workbench, and the line of views of a pane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Static

from ark_tui.domain.wording import counted
from ark_tui.interfaces.tui.state import actions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from textual.app import ComposeResult
    from textual.widget import Widget

    from ark_tui.domain.work import FileState, Status


OFFLINE = "disconnected"
"""Text in place of the coverage while the home is unreachable."""

LEFT: tuple[FileState, ...] = ("waiting", "away", "skipped", "failed")
"""States of files that are not fully indexed."""

PROGRAM = 10
"""Width of the program's name in cells."""

AROUND = 4
"""Cells around the text at the right."""

COUNT = 14
"""Minimum cells for the coverage while the tabs are wide."""

ROOMY = 24
"""Minimum free cells at which tabs have a space on both sides."""

ALONE, IN_TEXT = "", "alt+"
"""Modifier for the number of a pane while a text field has the focus, where digits are text."""


DIGIT = "1", "1"
"""A key and character that text fields consume."""


class PaneTab(Static):
    """The clickable name of a pane."""

    ALLOW_SELECT = False

    @dataclass
    class Clicked(Message):
        """The tab was clicked."""

        pane: str

    def __init__(self, number: int, pane: str) -> None:
        self.pane = pane
        self.number = number
        text = self.written(ALONE, named=True)
        super().__init__(Text(text), id=f"tab-{pane}")
        self.cells = len(text)

    def written(self, key: str, *, named: bool, tight: bool = False) -> str:
        """The number with its modifier, and the name. `tight`: without a trailing space."""
        text = f" {key}{self.number}{f' {self.pane.capitalize()}' if named else ''}"
        return text if tight and named else f"{text} "

    def write(self, key: str, *, named: bool, tight: bool, here: bool) -> None:
        """Show the key, and the name if there is space or the pane is current."""
        self.set_class(here, "-here")
        text = self.written(key, named=named or here, tight=tight and named)
        if len(text) != self.cells:
            self.cells = len(text)
            self.update(Text(text))

    def on_click(self) -> None:
        self.post_message(self.Clicked(self.pane))


class TitleLine(Horizontal):
    """The title line, which is always visible."""

    PANES: ClassVar[dict[int, str]] = dict(enumerate(actions.PANES, 1))

    def __init__(self) -> None:
        super().__init__(id="title-line")
        self._status: Status | None = None
        self.trouble = ""
        self._here = ""
        self._key = IN_TEXT  # the query line has the focus at first
        self._before = 0  # cells before the tabs

    def compose(self) -> ComposeResult:
        yield Static(Text("ark-tui"), id="program")
        for number, pane in self.PANES.items():
            yield PaneTab(number, pane)
        yield Static(id="state")

    def on_mount(self) -> None:
        self.watch(self.screen, "focused", self._focus_moved, init=False)

    def _focus_moved(self, focused: Widget | None) -> None:
        """While a text field has the focus, show the keys with their modifier."""
        key = IN_TEXT if focused is not None and focused.check_consume_key(*DIGIT) else ALONE
        if key != self._key and self.screen.is_current:
            self._key = key
            self._make_room()

    def show_pane(self, pane: str) -> None:
        """Highlight the current pane."""
        self._here = pane
        self._make_room()

    def show_status(self, status: Status) -> None:
        """Show the number of documents and of files that are not searchable."""
        self._status = status
        self._paint()

    def show_trouble(self, trouble: str) -> None:
        """Show a connection error in place of the coverage; empty if there is none."""
        self.trouble = trouble
        self._paint()

    def on_resize(self) -> None:
        self._make_room()

    def _make_room(self) -> None:
        """In a narrow window, close the gaps between tabs, then hide the program's name.

        Then show the modifier of digits once before all tabs. Finally hide the names of other panes.
        """
        tabs, width, key = [*self.query(PaneTab)], self.app.size.width, self._key
        room = width - _cells(tabs, key)
        tight = room < ROOMY
        room += len(tabs) * tight
        once = ""
        if room < 0:
            once, key = key, ALONE
            least = _cells(tabs, key) - len(tabs) + (len(once) + 1 if once else 0)
            room = max(0, room) if width >= least else room
        program = self.query_one("#program", Static)
        program.set_class(bool(once), "-key")
        program.update(once or "ark-tui")
        roomy = room >= PROGRAM + (COUNT if key else 0)
        self._before = len(once) + 1 if once else PROGRAM if roomy else 0
        program.display = self._before > 0
        for tab in tabs:
            tab.write(key, named=room >= 0, tight=tight, here=tab.pane == self._here)
        self._paint()

    def _paint(self) -> None:
        """Show the coverage in as many words as fit."""
        room = self.app.size.width - AROUND - self._before - sum(tab.cells for tab in self.query(PaneTab))
        said = OFFLINE if self.trouble else coverage(self._status) if self._status else ""
        short = said.replace(" documents", " docs")
        fitting = next((text for text in (said, short, short.split(" · ")[0]) if len(text) <= room), "")
        self.query_one("#state", Static).update(Text(fitting, no_wrap=True), layout=False)


def _cells(tabs: Sequence[PaneTab], key: str) -> int:
    """The width of the tabs with all names in cells."""
    return sum(len(tab.written(key, named=True)) for tab in tabs)


def coverage(status: Status) -> str:
    """`110 documents · 2 skipped`."""
    said = [counted(status.documents, "document")]
    said += [f"{count} {state}" for state in LEFT if (count := status.coverage.get(state))]
    said += [f"{follower.name}: trouble" for follower in status.followers if follower.problem]
    return " · ".join(said)


BESIDE = 2
"""Cells beside the name of a view; one in a narrow window."""


class ViewTab(Static):
    """The clickable name of a view."""

    ALLOW_SELECT = False

    @dataclass
    class Clicked(Message):
        """The view's tab was clicked."""

        view: str

    def __init__(self, view: str, name: str) -> None:
        super().__init__(Text(name), id=f"view-{view}")
        self.view = view
        self._called = self._shown = name
        self.said = name

    def say(self, count: int | None) -> None:
        """Set the number of rows; None if not counted yet."""
        self.said = f"{self._called} {count:,}" if count else self._called

    def write(self, *, counted: bool) -> None:
        """Show the name, and the number if it fits."""
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
        self._turns = 0  # width of the keys in cells

    def compose(self) -> ComposeResult:
        for view, name in self._views.items():
            yield ViewTab(view, name)
        yield Static(id="turns")

    def say_keys(self, before: str, after: str) -> None:
        """Show the keys that switch views."""
        self.query_one("#turns", Static).update(Text(f"{before} {after}"))
        self._turns = cell_len(f"{before} {after}")

    def show(self, view: str) -> None:
        """Switch to a view."""
        for tab in self.query(ViewTab):
            tab.set_class(tab.view == view, "-here")

    def count(self, view: str, count: int | None) -> None:
        """Set the number of rows of a view."""
        self.query_one(f"#view-{view}", ViewTab).say(count)
        self._make_room()

    def on_resize(self) -> None:
        self._make_room()

    def _make_room(self) -> None:
        """In a narrow window, hide the keys, then the gaps between names, then the numbers."""
        tabs = self.query(ViewTab)
        room = self.size.width - sum(cell_len(tab.said) + BESIDE for tab in tabs)
        self.query_one("#turns").display = room >= self._turns
        self.set_class(room < 0, "-tight")
        for tab in tabs:
            tab.write(counted=room + len(tabs) >= 0)
