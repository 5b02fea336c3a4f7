"""Small dialogs: text input, choice, confirmation, address, checks, messages."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rich.text import Text
from textual import events, on
from textual.containers import VerticalScroll
from textual.widgets import Input, Static

from ark_tui.domain.display import visible_line
from ark_tui.domain.errors import ArkError
from ark_tui.interfaces.tui.screens.dialog import Dialog, TextDialog
from ark_tui.interfaces.tui.state import addresses, strings
from ark_tui.interfaces.tui.widgets import ink
from ark_tui.interfaces.tui.widgets.query_line import Entry

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rich.style import Style
    from textual import events
    from textual.app import ComposeResult
    from textual.geometry import Offset

    from ark_tui.domain.work import Check
    from ark_tui.interfaces.tui.state.context import PaneContext
    from ark_tui.interfaces.tui.widgets.labelled import Row


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


class ChooseScreen(Dialog[str]):
    """Returns the choice of a letter."""

    def __init__(self, context: PaneContext, title: str, choices: Mapping[str, str]) -> None:
        """`choices`: letter and result."""
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
    """Like `ChooseScreen`, with each letter at its target; those of hidden targets are at the bottom."""

    FOOTER = False

    def __init__(
        self, context: PaneContext, choices: Mapping[str, str], places: Mapping[str, Offset]
    ) -> None:
        """`places`: for each letter the screen position of its target, if it is visible."""
        super().__init__(context, strings.JUMP_TO, choices)
        self._places = places

    def compose(self) -> ComposeResult:
        for letter, place in self._places.items():
            sign = Static(Text(f" {letter} "), classes="letter")
            sign.absolute_offset = place
            yield sign
        rest = "".join(f"  {key} {does}" for key, does in self._choices.items() if key not in self._places)
        yield Static(Text(strings.JUMP_KEYS.format(rest=rest, closes=self.closes)), classes="below")


YES, NO = "y", "n"


class ConfirmScreen(TextDialog[bool]):
    """Returns True on confirmation. Otherwise no result, or False if refusing is a possible answer."""

    AUTO_FOCUS = "ScrolledText"

    def __init__(
        self, context: PaneContext, title: str, said: Sequence[str], does: str, refuses: str = ""
    ) -> None:
        """`said`: paragraphs. `does`, `refuses`: short descriptions of the keys."""
        super().__init__(context)
        self.called, self.does = title, f"{YES} {does}" + (f" · {NO} {refuses}" if refuses else "")
        self._said = said
        self._answers = {YES: True} | ({NO: False} if refuses else {})

    def rows(self) -> Iterator[Row]:
        for line in self._said:
            yield Text(), Text(visible_line(line))

    def on_key(self, event: events.Key) -> None:
        if (answer := self._answers.get(event.character or "")) is not None:
            event.stop()
            self.dismiss(answer)


class AddressScreen(Dialog[None]):
    """Opens or copies an address, or closes."""

    def __init__(self, context: PaneContext, target: str) -> None:
        super().__init__(context)
        self._target = target
        self._browser = addresses.program(os.environ) if addresses.can_be_opened(target) else None

    def compose(self) -> ComposeResult:
        with self.box(strings.ADDRESS_TITLE):
            text = Text()
            text.append(f"{visible_line(self._target)}\n\n", "bold")
            if self._browser:
                text.append("o", "bold")
                text.append(strings.ADDRESS_OPEN.format(browser=self._browser[0].rpartition("/")[2]))
            text.append("y", "bold")
            text.append(strings.ADDRESS_COPY)
            if not addresses.can_be_opened(self._target):
                text.append(strings.ADDRESS_REFUSED, "dim")
            elif not self._browser:
                text.append(strings.ADDRESS_NO_BROWSER, "dim")
            yield Static(text)

    def on_key(self, event: events.Key) -> None:
        if event.character == "y":
            event.stop()
            self.context.copy(self._target, strings.COPY_ADDRESS)
            self.dismiss(None)
        elif event.character == "o" and self._browser:
            event.stop()
            try:
                addresses.show(self._browser, self._target)
            except ArkError as error:
                self.context.say_error(error)
            self.dismiss(None)


class ChecksScreen(TextDialog[None]):
    """The findings of the checks, those that need action first."""

    called = strings.CHECKS_TITLE

    def __init__(self, context: PaneContext, checks: Sequence[Check]) -> None:
        super().__init__(context)
        self._checks = checks

    def rows(self) -> Iterator[Row]:
        for check in sorted(self._checks, key=lambda one: (one.ok is not False, not one.repaired)):
            word, style = self._mark(check)
            said = visible_line(self.context.worded(check.detail))
            name = (f"{visible_line(check.name)}: ", "bold")
            yield Text(f"{word:<9}", style), Text.assemble(name, said)

    def _mark(self, check: Check) -> tuple[str, Style]:
        if check.repaired:
            return "repaired", ink.ink(self, "accent")
        if check.ok is None:
            return "note", ink.ink(self, "muted")
        return ("ok", ink.ink(self, "muted")) if check.ok else ("wrong", ink.ink(self, "error"))


MARKS = {"information": "·", "warning": "!", "error": "✗"}


class SaidScreen(TextDialog[None]):
    """The messages, latest first."""

    called = "Messages"

    def rows(self) -> Iterator[Row]:
        if not self.context.said:
            yield Text(), Text(strings.NO_NOTICES)
        for one in reversed(self.context.said):
            style = "dim" if one.severity == "information" else "bold"
            yield Text(f"{one.at:%H:%M:%S} {MARKS[one.severity]} ", style), Text(one.text)
