"""Dialogs: the base class, a box that `esc` and `q` close, and small ones for a line and a text."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from rich.text import Text
from textual import on
from textual.await_complete import AwaitComplete
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from ark_tui.domain.display import visible_line
from ark_tui.interfaces.tui.state import actions
from ark_tui.interfaces.tui.widgets import ink
from ark_tui.interfaces.tui.widgets.footing import Footer
from ark_tui.interfaces.tui.widgets.painting import Changes
from ark_tui.interfaces.tui.widgets.query_line import Entry
from ark_tui.interfaces.tui.widgets.requesting import Requesting
from ark_tui.interfaces.tui.widgets.scrolling import ScrolledText

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from textual import events
    from textual.app import ComposeResult
    from textual.widget import Widget

    from ark_tui.interfaces.tui.state.context import PaneContext


Answer = TypeVar("Answer")


class Dialog(ModalScreen[Answer], Requesting, Generic[Answer]):
    """A box above everything. Closing it returns no result."""

    SCOPES: ClassVar[actions.Scopes] = ("dialog",)
    BINDINGS: ClassVar[actions.Bindings] = [
        *actions.bindings("dialog"),
        *actions.bindings("app", only=("help",)),  # modal screens do not use the app's bindings
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = ink.CLASSES
    CSS_PATH: ClassVar = ["dialog.tcss"]

    def dismiss(self, result: Answer | None = None) -> AwaitComplete:
        """Close only once: a second key already in the queue would close the screen below, or the app."""
        return super().dismiss(result) if self.is_current else AwaitComplete()

    def __init__(self, context: PaneContext) -> None:
        super().__init__()
        self._compositor = Changes()
        self.context = context

    def on_mount(self) -> None:
        self.mount(Footer())  # covers that of the workbench, whose keys are inactive

    @property
    def closes(self) -> str:
        """The label of the close key for the border: `esc close`, or the user's key for it."""
        return f"{self.context.keys['dialog.close']} close"

    def box(self, title: str, does: str = "", kind: type[Widget] = Vertical) -> Widget:
        """The box, with its title and keys on the border. The content is composed inside its `with` block."""
        box = kind(classes="box")
        box.border_title = Content(visible_line(title))
        box.border_subtitle = Content(f"{does} · {self.closes}" if does else self.closes)
        return box

    def action_close(self) -> None:
        self.dismiss(None)

    def action_help(self) -> None:
        self.context.dialogs.help()


class AskScreen(Dialog[str]):
    """Returns a line of text that is not empty."""

    AUTO_FOCUS = "Input"

    def __init__(self, context: PaneContext, title: str, about: str, value: str = "") -> None:
        super().__init__(context)
        self._title = title
        self._about = about
        self._value = value

    def compose(self) -> ComposeResult:
        with self.box(self._title, "⏎ confirm"):
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

    AUTO_FOCUS = "ScrolledText"

    def __init__(
        self, context: PaneContext, title: str, rows: Iterable[ink.Row], answers: Mapping[str, str]
    ) -> None:
        """`answers`: letter and what it does."""
        super().__init__(context)
        self._title, self._rows, self.answers = title, rows, answers

    def compose(self) -> ComposeResult:
        does = " · ".join(f"{letter} {does}" for letter, does in self.answers.items() if does)
        with self.box(self._title, does, ScrolledText):
            yield Static(ink.labelled(self._rows))

    def on_key(self, event: events.Key) -> None:
        if (letter := event.character or "") in self.answers:
            event.stop()
            self.dismiss(letter)

    def action_answer(self, letter: str) -> None:
        self.dismiss(letter)
