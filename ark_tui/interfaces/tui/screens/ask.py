"""Asking for a line of text, or for one of a few choices by its letter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text
from textual import events, on
from textual.containers import VerticalScroll
from textual.widgets import Input, Static

from ark_tui.domain.display import visible_line
from ark_tui.interfaces.tui.screens.dialog import Dialog
from ark_tui.interfaces.tui.widgets.entry import Entry

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.app import ComposeResult
    from textual.geometry import Offset

    from ark_tui.interfaces.tui.state.context import PaneContext


class AskScreen(Dialog[str]):
    """Answers with a line that is not empty."""

    AUTO_FOCUS = "Input"

    def __init__(self, context: PaneContext, title: str, about: str, value: str = "") -> None:
        super().__init__(context)
        self._title = title
        self._about = about
        self._value = value

    def compose(self) -> ComposeResult:
        with self.box(self._title, "⏎ takes it"):
            yield Entry(self._value, select_on_focus=False)
            yield Static(Text(visible_line(self._about)), classes="said")

    def on_mount(self) -> None:
        self.query_one(Input).cursor_blink = False

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        if text := event.value.strip():
            self.dismiss(text)


class ChooseScreen(Dialog[str]):
    """Answers with what a letter stands for."""

    def __init__(self, context: PaneContext, title: str, choices: Mapping[str, str]) -> None:
        """`choices`: letter and answer."""
        super().__init__(context)
        self._title = title
        self._choices = choices

    def compose(self) -> ComposeResult:
        with self.box(self._title, kind=VerticalScroll):
            text = Text()
            for letter, answer in self._choices.items():
                text.append(letter, "bold")
                text.append(f"  {answer}\n")
            text.rstrip()
            yield Static(text)

    def on_key(self, event: events.Key) -> None:
        answer = self._choices.get(event.character or "")
        if answer is not None:
            event.stop()
            self.dismiss(answer)


class JumpScreen(ChooseScreen):
    """As `ChooseScreen`, each letter written where it leads to; those that lead out of sight stand below."""

    FOOTER = False

    def __init__(
        self, context: PaneContext, choices: Mapping[str, str], places: Mapping[str, Offset]
    ) -> None:
        """`places`: where a letter stands on the screen, if what it leads to is there."""
        super().__init__(context, "Jump to", choices)
        self._places = places

    def compose(self) -> ComposeResult:
        for letter, place in self._places.items():
            sign = Static(Text(f" {letter} "), classes="letter")
            sign.absolute_offset = place
            yield sign
        rest = "".join(f"  {key} {does}" for key, does in self._choices.items() if key not in self._places)
        yield Static(Text(f"A letter jumps.{rest}  {self.closes}"), classes="below")
