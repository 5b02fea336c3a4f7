"""The picker: choose a named item by fuzzy search, with a preview."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import getters, on
from textual.containers import Vertical
from textual.widgets import Input, Static

from ark_tui.domain.display import visible_line
from ark_tui.interfaces.tui.screens.dialog import Dialog
from ark_tui.interfaces.tui.state.names import Choice
from ark_tui.interfaces.tui.widgets import ink
from ark_tui.interfaces.tui.widgets.choices import Choices
from ark_tui.interfaces.tui.widgets.query_line import Entry
from ark_tui.interfaces.tui.widgets.row_list import RowList

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual import events
    from textual.app import ComposeResult

    from ark_tui.domain.errors import ArkError
    from ark_tui.interfaces.tui.state.client import Client
    from ark_tui.interfaces.tui.state.context import PaneContext
    from ark_tui.interfaces.tui.state.names import Names

MOVES = {
    "down": RowList.action_row_down,
    "up": RowList.action_row_up,
    "pagedown": RowList.action_page_down,
    "pageup": RowList.action_page_up,
    "ctrl+d": RowList.action_half_down,
    "ctrl+n": RowList.action_row_down,
}
"""Keys that move in the list while the input has the focus."""

TALLEST = 20
"""Rows of the list if the window is large enough."""

EDGE = 6
"""Cells of a border around its text."""

LOW, HIGH = 2, 4
"""Lines of the preview in a small and in a large window."""


class PickScreen(Dialog[Choice]):
    """An input, the filtered list, and a preview below. Returns the chosen item."""

    COMPONENT_CLASSES: ClassVar[set[str]] = ink.CLASSES
    AUTO_FOCUS = "Input"

    line = getters.query_one(Input)
    choices = getters.query_one(Choices)
    seen = getters.query_one("#preview", Static)

    def __init__(
        self, context: PaneContext, title: str, names: Names, value: str = "", cursor: int = 0
    ) -> None:
        """`value`: the initial text. `cursor`: the initial row."""
        super().__init__(context)
        self._title, self.names, self._value, self._first = title, names, value, cursor
        self._known: Sequence[Choice] | None = None  # until they are loaded
        self._narrowed: str | None = None  # the text that the rows match
        self._count = 0, 0  # number of matches, and of all items
        self._taken = False  # enter was pressed before the rows matched the text

    def compose(self) -> ComposeResult:
        with self.box(self._title, f"⏎ {self.names.does}"):
            yield Entry(self._value, placeholder=self.names.hint, select_on_focus=False)
            yield Choices("choices")
            yield Static(id="preview")

    def on_mount(self) -> None:
        self.line.cursor_blink = False
        self.choices.can_focus = False  # a click on a row keeps the focus in the input
        self.seen.display = self.names.looks
        self.request(self.names.read, self._read, self._fail, group="names")

    def _fail(self, error: ArkError) -> None:
        self.dismiss()
        self.context.say_error(error)

    def _read(self, known: Sequence[Choice]) -> None:
        self._known = known
        self._narrow()

    @on(Input.Changed)
    def _narrow(self) -> None:
        """Filter in a thread: there may be 100,000 items, or a slow disk."""
        if (known := self._known) is not None:
            typed = self.line.value
            self.request(
                lambda _: self.names.fitting(typed, known),
                lambda found: self._show(typed, found),
                group="narrow",
            )

    def _show(self, typed: str, found: Sequence[Choice]) -> None:
        first = self._narrowed is None
        self._narrowed = typed
        self.choices.empty = self.names.nothing if self._known and typed.strip() else self.names.empty
        self.choices.show(found, grouped=not typed.strip())
        self.choices.cursor = self._first if first else 0
        self._count = len(found), len(self._known or ())
        self._fit()
        self._say()
        self._look()
        if self._taken:
            self._pick()

    def _say(self) -> None:
        """Show the keys on the border, preceded by the count if there is space."""
        fitting, of = self._count
        count = f"{fitting:,} of {of:,} · " if fitting <= of else ""  # the typed text may be an extra row
        box, keys = self.query_one(".box", Vertical), f"⏎ {self.names.does} · {self.closes}"
        box.border_subtitle = count + keys if len(count + keys) <= box.outer_size.width - EDGE else keys

    def on_resize(self) -> None:
        self._fit()
        if self._narrowed is not None:
            self.call_after_refresh(self._say)

    def _fit(self) -> None:
        """Fit the number of rows to the items and the window. Fewer items never move the box."""
        height = self.app.size.height
        seen = (HIGH if height >= TALLEST + HIGH else LOW) if self.names.looks else 0
        self.seen.styles.height = seen
        room = height * 92 // 100 - 6 - (seen + 1 if seen else 0)
        said = self.choices.empty_lines(self.choices.size.width) if not self.choices.count else []
        most = max(self.choices.virtual_size.height, len(said))
        before = self.choices.styles.height
        rows = max(most, int(before.value) if before is not None else 1)
        self.choices.styles.height = max(1, min(rows, TALLEST, room))

    # -- preview -------------------------------------------------------------------------------------

    @on(RowList.Moved)
    def _look(self) -> None:
        """Load the preview of the choice under the cursor."""
        here = self.choices.here
        self.moved_to(here)
        if not self.names.looks:
            return
        if here is None or here.preview:
            self._see(here.preview if here else "")
        else:
            self.request(self._seeing(here), self._see, lambda _: self._see(""), group="preview")

    def _seeing(self, choice: Choice) -> Callable[[Client], str]:
        return lambda client: self.names.preview(client, choice)

    def _see(self, text: str) -> None:
        """Show a preview, cut to the available space."""
        width, height = self.seen.size or (1, 1)
        lines = [line for part in text.splitlines() for line in wrap(visible_line(part), max(1, width))]
        if len(lines) > height > 0:
            lines = [*lines[: height - 1], ink.shorten(f"{lines[height - 1]} …", width)]
        self.seen.update(Text("\n".join(lines)))

    def moved_to(self, choice: Choice | None) -> None:
        """The cursor has moved to a choice."""

    # -- choosing ------------------------------------------------------------------------------------

    def on_key(self, event: events.Key) -> None:
        if not self.line.has_focus:
            return
        if event.key == "tab":
            if (here := self.choices.here) is not None and self._narrowed == self.line.value:
                self.line.value = self.names.completed(here)
                self.line.cursor_position = len(self.line.value)
        elif event.key in MOVES:
            MOVES[event.key](self.choices)
        else:
            return
        event.prevent_default()
        event.stop()

    @on(Input.Submitted)
    @on(RowList.Chosen)
    def _pick(self) -> None:
        self._taken = self._narrowed != self.line.value
        here = self.choices.here
        if not self._taken and here is not None and here.name:
            self.dismiss(here)
