"""Single-line inputs, and the query line, which searches during typing."""

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
    from collections.abc import Iterable

    from textual import events
    from textual.events import Paste

    from ark_tui.domain.hits import SearchResult
    from ark_tui.interfaces.tui.widgets.choices import Completions


class Entry(Input):
    """Textual's input. Draws a replacement for control characters; its value is unchanged."""

    @property
    def _value(self) -> Text:
        """The displayed text."""
        drawn = Text(visible_line(self.value), no_wrap=True, overflow="ignore", end="")
        return self.highlighter(drawn) if self.highlighter else drawn

    def on_paste(self, event: Paste) -> None:
        """Join pasted lines with spaces: Textual's handler runs next and inserts only the first line."""
        lines = event.text.splitlines()
        if len(lines) > 1:
            event.text = " ".join(filter(None, map(str.strip, lines)))


class Syntax(RegexHighlighter):
    """Highlights filters, phrases and exclusions, without colors of its own."""

    base_style = ""
    highlights: ClassVar[list[str]] = [
        r"(?:^|\s)(?P<bold>(?:in|tag|tier|type|path):\S*)",
        r"(?P<italic>\"[^\"]*\"?)",
        r"(?:^|\s)(?P<strike>-[^\s\"]+)",
    ]


class QueryLine(Entry):
    """The query input. `/` focuses it from anywhere, and is ignored as its first character."""

    SCOPES: ClassVar[actions.Scopes] = ("query",)
    BINDINGS: ClassVar[actions.Bindings] = actions.bindings(*SCOPES)
    BORDER_TITLE = "Query"
    HELP = strings.HELP_QUERY

    virtual_size = Reactive(Size(0, 0), layout=False)  # its text scrolls: keys cause no layout

    @dataclass
    class QueryEdited(Message):
        """The text was edited."""

        text: str

    @dataclass
    class QueryRun(Message):
        """Enter was pressed."""

        text: str

    class Left(Message):
        """Request to move down to the results."""

    def __init__(self, value: str = "", *, blink: bool) -> None:
        super().__init__(
            value,
            placeholder="words, tag:name, path:part, -without",
            highlighter=Syntax(),
            select_on_focus=False,
            id="query",
        )
        self.cursor_blink = blink
        self.completions: Completions | None = None  # available soon after the first frame

    def fill(self, text: str) -> None:
        """Replace the text without counting as typed."""
        with self.prevent(self.Changed):
            self.value = text
        self.cursor_position = len(text)

    def narrow_to(self, collection: str) -> None:
        """Restrict the query to a collection; keep its words."""
        words = [word for word in self.value.split(" ") if word and not word.startswith("in:")]
        name = f'"{collection}"' if " " in collection else collection
        self.value = " ".join([f"in:{name}", *words, ""])

    def on_key(self, event: events.Key) -> None:
        """Handle completion keys. A first `/` is ignored, and a first `?` opens the help."""
        if self.completions is not None and self.completions.take_key(event.key):
            event.stop()
            event.prevent_default()
        whole = len(self.selected_text) == len(self.value)  # empty, or all text selected
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

    def say(self, text: str) -> None:
        """Show a text on the lower border."""
        self.border_subtitle = Content(text)

    def say_terms(self, chips: Iterable[tuple[str, bool]]) -> None:
        """Show terms on the upper border, each used or left out."""
        said = [(f"  {visible_line(text)}", "bold" if on else "strike") for text, on in chips]
        self.border_title = Content.assemble(str(self.BORDER_TITLE), *said)

    def say_counts(self, result: SearchResult) -> None:
        """Show the number of hits, the total, and the duration."""
        self.say(f"{counts(result)} · {max(1, round(result.took_ms))} ms")


def counts(result: SearchResult) -> str:
    """`12 of 128`, or `12` if these are all."""
    shown = len(result.hits)
    return f"{shown} of {result.found}" if result.found > shown else str(shown)
