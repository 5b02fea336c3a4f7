"""Inputs of one line, and the query line that searches as it is typed in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rich.highlighter import RegexHighlighter
from rich.text import Text
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import Reactive
from textual.widgets import Input

from ark_tui.domain.display import visible_line
from ark_tui.interfaces.tui.state import actions, strings

if TYPE_CHECKING:
    from textual import events
    from textual.events import Paste

    from ark_tui.domain.hits import SearchResult
    from ark_tui.interfaces.tui.widgets.choices import Completions


class Entry(Input):
    """Textual's input. Its value stays as it is; a stand-in is drawn for each character that does harm."""

    @property
    def _value(self) -> Text:
        """The text as it is drawn."""
        drawn = Text(visible_line(self.value), no_wrap=True, overflow="ignore", end="")
        return self.highlighter(drawn) if self.highlighter else drawn

    def on_paste(self, event: Paste) -> None:
        """Join the lines by blanks: Textual's own handler, which runs next, inserts only the first line."""
        lines = event.text.splitlines()
        if len(lines) > 1:
            event.text = " ".join(filter(None, map(str.strip, lines)))


class Syntax(RegexHighlighter):
    """Filters, phrases and exclusions look different from words; without colours of their own."""

    base_style = ""
    highlights: ClassVar[list[str]] = [
        r"(?:^|\s)(?P<bold>(?:in|tag|tier|type|path):\S*)",
        r"(?P<italic>\"[^\"]*\"?)",
        r"(?:^|\s)(?P<strike>-[^\s\"]+)",
    ]


class QueryLine(Entry):
    """Where the query is typed. `/` leads here from anywhere: as the first character it means nothing."""

    SCOPES: ClassVar[actions.Scopes] = ("query",)
    BINDINGS: ClassVar[actions.Bindings] = actions.bindings(*SCOPES)
    BORDER_TITLE = "Query"
    HELP = strings.HELP_QUERY

    virtual_size = Reactive(Size(0, 0), layout=False)  # its text scrolls: no key lays the screen out anew

    @dataclass
    class QueryEdited(Message):
        """The text has changed."""

        text: str

    @dataclass
    class QueryRun(Message):
        """The person is done typing."""

        text: str

    class Left(Message):
        """The person wants to go down to the results."""

    def __init__(self, value: str = "", *, blink: bool) -> None:
        super().__init__(
            value,
            placeholder="words, tag:name, path:part, -without",
            highlighter=Syntax(),
            select_on_focus=False,
            id="query",
        )
        self.cursor_blink = blink
        self.completions: Completions | None = None  # there soon after the first frame

    def fill(self, text: str) -> None:
        """Put a text in the place of what is there, without anybody having typed it."""
        with self.prevent(self.Changed):
            self.value = text
        self.cursor_position = len(text)

    def narrow_to(self, collection: str) -> None:
        """Ask for the documents of one collection, by the same words."""
        words = [word for word in self.value.split(" ") if word and not word.startswith("in:")]
        name = f'"{collection}"' if " " in collection else collection
        self.value = " ".join([f"in:{name}", *words, ""])

    def on_key(self, event: events.Key) -> None:
        """Keys for what is offered; the first `/` means nothing, and a first `?` asks for help."""
        if self.completions is not None and self.completions.take_key(event.key):
            event.stop()
            event.prevent_default()
        whole = len(self.selected_text) == len(self.value)  # nothing, or all of it selected
        if not whole or event.character not in {"/", "?"}:
            return
        event.stop()
        event.prevent_default()
        if event.character == "?":
            self.app.call_later(self.app.run_action, "help")

    def on_blur(self) -> None:
        if self.completions is not None:
            self.completions.close()

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        if self.completions is not None:
            self.completions.offer()
        self.post_message(self.QueryEdited(event.value))

    def action_run(self) -> None:
        self.post_message(self.QueryRun(self.value))

    def action_leave(self) -> None:
        self.post_message(self.Left())

    # -- what the border says ------------------------------------------------------------------------

    def say(self, text: str) -> None:
        """Say something at the lower edge."""
        self.border_subtitle = Content(text)

    def say_counts(self, result: SearchResult) -> None:
        """How many hits there are, of how many, and how long it took."""
        self.say(f"{counts(result)} · {max(1, round(result.took_ms))} ms")


def counts(result: SearchResult) -> str:
    """`12 of 128`, or plainly `12` when these are all."""
    shown = len(result.hits)
    return f"{shown} of {result.found}" if result.found > shown else str(shown)
