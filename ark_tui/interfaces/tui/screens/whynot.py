"""Explain why a search does not list a document, and offer remedies."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, ClassVar

from rich.style import Style
from rich.text import Text
from textual import getters, on
from textual.widgets import Static

from ark_tui import operations
from ark_tui.domain.display import visible_line
from ark_tui.domain.errors import Hint, Step
from ark_tui.domain.whynot import Remedy
from ark_tui.interfaces.tui.screens.dialog import Dialog
from ark_tui.interfaces.tui.state import actions, strings
from ark_tui.interfaces.tui.state.client import act
from ark_tui.interfaces.tui.widgets import ink
from ark_tui.interfaces.tui.widgets.row_list import RowList, Rows
from ark_tui.interfaces.tui.widgets.scrolling import ScrolledText

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from textual.app import ComposeResult

    from ark_tui.domain.errors import ArkError
    from ark_tui.domain.query import Request
    from ark_tui.domain.whynot import WhyNot
    from ark_tui.interfaces.tui.state.context import PaneContext


BY_KEY = ("search", "doc restore", "eval judge", "show")
"""Operations that `enter` runs at once."""


def by_key(step: Step) -> bool:
    """Whether `enter` can run a step."""
    return step.name in BY_KEY or (step.name == "index" and bool(step.arguments))


class Remedies(Rows[Remedy]):
    """Remedies, two lines each. `enter` applies one."""

    ROW_HEIGHT = 2

    def __init__(self, told: Callable[[Remedy], str]) -> None:
        super().__init__("remedies")
        self._told = told

    def pieces(self, row: Remedy, part: int, width: int) -> list[ink.Piece]:
        lines = wrap(visible_line(self._told(row)), width)
        text = ink.shorten(" ".join(lines[1:]), width) if part else lines[0]
        return [(text, Style.null())]


class WhyNotScreen(Dialog[Remedy]):
    """Returns the chosen remedy."""

    SCOPES: ClassVar[actions.Scopes] = ("remedies", "dialog")
    BINDINGS: ClassVar[actions.Bindings] = actions.bindings("remedies")

    remedies = getters.query_one(Remedies)
    answer = getters.query_one("#why-not", Static)

    def __init__(self, context: PaneContext, request: Request, ref: str) -> None:
        super().__init__(context)
        self._request = request
        self._ref = ref

    def compose(self) -> ComposeResult:
        with self.box(f"Why not? {self._request.query}"):
            with ScrolledText():
                yield Static(strings.WHY_NOT_LOADING, id="why-not")
            yield Remedies(self._told)

    def on_mount(self) -> None:
        self.remedies.display = False
        self.request(
            act(operations.workbench.why_not, self._request, self._ref),
            self._show,
            self._fail,
            group="why-not",
        )

    def _show(self, found: WhyNot) -> None:
        self.answer.update(Text("\n").join(self._lines(found)))
        if found.remedies:
            self.remedies.display = True
            self.remedies.put(found.remedies)
            self.remedies.focus()
            key = self.context.keys["remedies.open"]
            self.query_one(".box").border_subtitle = strings.WHY_NOT_KEYS.format(key=key, closes=self.closes)

    def _fail(self, error: ArkError) -> None:
        self.dismiss()
        self.context.say_error(error)

    @on(RowList.Chosen)
    def action_open(self) -> None:
        if self.remedies.here is not None:
            self.dismiss(self.remedies.here)

    def _told(self, remedy: Remedy) -> str:
        came = strings.WHY_NOT_RANK.format(rank=remedy.rank) if remedy.rank else ""
        keys = self.context.worded
        what = remedy.what
        told = (
            what.worded(
                lambda step: self.context.keys["remedies.open"] if by_key(step) else keys(Hint.of(step))
            )
            if isinstance(what, Hint)
            else what
        )
        return f"{told}{came}"

    def _lines(self, found: WhyNot) -> Iterator[Text]:
        strong, muted = ink.ink(self, "strong"), ink.ink(self, "muted")
        if document := found.document:
            yield Text(visible_line(document.title), strong)
            yield Text(visible_line(f"{document.collection}/{document.path}"), muted)
        yield Text.assemble((f"{found.cause}: ", ink.ink(self, "accent")), visible_line(found.sentence))
        if found.signals:
            yield Text(strings.WHY_NOT_RANKS.format(count=found.of), muted)
            yield self._columns(
                [(one.name, "–" if one.rank is None else f"{one.rank:,}") for one in found.signals]
            )
        for off in found.off:
            yield Text(f"\nNot used: {visible_line(off)}", ink.ink(self, "warning"))

    def _columns(self, rows: list[tuple[str, str]]) -> Text:
        """Names and ranks in as many columns as fit."""
        name = max(len(visible_line(one)) for one, _ in rows)
        rank = max(len(one) for _, one in rows)
        per_line = max(1, (self.answer.size.width or 70) // (name + rank + 5))
        text = Text()
        for place, (what, number) in enumerate(rows):
            text.append("\n" if place and place % per_line == 0 else "")
            text.append(f"{visible_line(what):<{name}} ")
            text.append(f"{number:>{rank}}    ", ink.ink(self, "strong"))
        return text
