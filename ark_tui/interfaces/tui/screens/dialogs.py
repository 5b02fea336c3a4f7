"""Small dialogs: a line of text, a text with answers, and letters that lead to parts of the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import on
from textual.widgets import Input, Static

from ark_tui.domain.display import visible_line
from ark_tui.interfaces.tui.screens.dialog import Dialog
from ark_tui.interfaces.tui.state import strings
from ark_tui.interfaces.tui.widgets import ink
from ark_tui.interfaces.tui.widgets.query_line import Entry
from ark_tui.interfaces.tui.widgets.scrolling import ScrolledText

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from textual import events
    from textual.app import ComposeResult
    from textual.geometry import Offset

    from ark_tui.interfaces.tui.state.context import PaneContext


class AskScreen(Dialog[str]):
    """Returns a line of text that is not empty."""

    AUTO_FOCUS = "Input"

    def __init__(self, context: PaneContext, title: str, about: str, value: str = "") -> None:
        super().__init__(context)
        self._title = title
        self._about = about
        self._value = value

    def compose(self) -> ComposeResult:
        with self.box(self._title, strings.DOES_ENTER):
            yield Entry(self._value, select_on_focus=False)
            yield Static(Text(visible_line(self._about)), classes="said")

    def on_mount(self) -> None:
        self.query_one(Input).cursor_blink = False

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        if text := event.value.strip():
            self.dismiss(text)


class ConfirmScreen(Dialog[str]):
    """A text, with answers by letter if there are any. Returns the letter."""

    COMPONENT_CLASSES: ClassVar[set[str]] = ink.CLASSES
    AUTO_FOCUS = "ScrolledText"

    def __init__(
        self, context: PaneContext, title: str, rows: Iterable[ink.Row], answers: Mapping[str, str]
    ) -> None:
        """`answers`: letter and what it does."""
        super().__init__(context)
        self._title, self._rows, self.answers = title, rows, answers

    def compose(self) -> ComposeResult:
        does = " · ".join(f"{letter} {does}" for letter, does in self.answers.items())
        with self.box(self._title, does, ScrolledText):
            yield Static(ink.labelled(self._rows))

    def on_key(self, event: events.Key) -> None:
        if (letter := event.character or "") in self.answers:
            event.stop()
            self.dismiss(letter)


class JumpScreen(ConfirmScreen):
    """Returns a letter. Each is at its target; those of hidden targets are at the bottom."""

    FOOTER = False

    def __init__(
        self, context: PaneContext, choices: Mapping[str, str], places: Mapping[str, Offset]
    ) -> None:
        """`places`: for each letter the screen position of its target, if it is visible."""
        super().__init__(context, strings.JUMP_TO, (), choices)
        self._places = places

    def compose(self) -> ComposeResult:
        for letter, place in self._places.items():
            sign = Static(Text(f" {letter} "), classes="letter")
            sign.absolute_offset = place
            yield sign
        rest = "".join(f"  {key} {does}" for key, does in self.answers.items() if key not in self._places)
        yield Static(Text(strings.JUMP_KEYS.format(rest=rest, closes=self.closes)), classes="below")
