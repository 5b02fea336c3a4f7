"""Ask a question: the sources found and, if a chat model is configured, an answer."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from functools import partial
from textwrap import shorten
from typing import TYPE_CHECKING, ClassVar

from textual import events, getters, on
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input
from textual.worker import get_current_worker

from ark_tui import operations
from ark_tui.domain.display import visible, visible_line
from ark_tui.domain.plain import beneath, plain
from ark_tui.domain.recall import Source, Thought
from ark_tui.interfaces.tui.screens.dialog import Dialog
from ark_tui.interfaces.tui.state import actions, strings
from ark_tui.interfaces.tui.widgets import ink
from ark_tui.interfaces.tui.widgets.query_line import Entry
from ark_tui.interfaces.tui.widgets.row_list import RowList, Rows
from ark_tui.interfaces.tui.widgets.scrolling import MARK, Paragraph, Sheet

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.app import ComposeResult
    from textual.timer import Timer

    from ark_tui.domain.errors import ArkError
    from ark_tui.interfaces.tui.state.client import Client
    from ark_tui.interfaces.tui.state.context import PaneContext

CITED = re.compile(r"\[\d+\]")
EVERY = 0.1  # seconds between updates of a streaming answer


class Sources(Rows[Source]):
    """The sources of an answer, two lines each: number and title; location."""

    BORDER_TITLE = "Sources"
    ROW_HEIGHT = 2

    def show(self, sources: tuple[Source, ...]) -> None:
        """Show sources from the first one."""
        self.put(sources)
        self.border_subtitle = Content(str(len(sources)) if sources else "")

    def pieces(self, row: Source, part: int, width: int) -> list[ink.Piece]:
        muted = self.ink("muted")
        if part == 0:
            right: list[ink.Piece] = [(f"  {row.document.tier}  {row.score:.3f}", muted)]
            number: list[ink.Piece] = [(f"[{self.rows.index(row) + 1}] ", self.ink("accent"))]
            room = width - ink.cells(right) - ink.cells(number)
            title = ink.shorten(visible_line(row.document.title), room)
            return ink.justified([*number, (title, self.ink("strong"))], right, width)
        path = ink.shorten_start(visible_line(f"{row.document.collection}/{row.document.path}"), width - 4)
        return [(f"    {path}", muted)]


class Answer(Sheet):
    """The answer, or the passages of the sources."""

    BORDER_TITLE = "Answer"


class ThinkScreen(Dialog[None]):
    """A question and its answer. `esc` cancels a running answer, else closes the screen."""

    SCOPES: ClassVar[actions.Scopes] = ("ask", "dialog")
    BINDINGS: ClassVar[actions.Bindings] = actions.bindings("ask")
    AUTO_FOCUS = "Input"

    question = getters.query_one("#question", Input)
    answer = getters.query_one(Answer)
    sources = getters.query_one(Sources)

    def __init__(self, context: PaneContext, question: str) -> None:
        """`question`: the text of the query line, asked at once unless its answer is cached."""
        super().__init__(context)
        self.thought = context.thought  # the latest answer, shown again
        self._given = question.strip()
        self._seconds = 0
        self._clock: Timer | None = None  # runs during an answer

    @property
    def thinking(self) -> bool:
        """Whether an answer is running."""
        return self._clock is not None

    def compose(self) -> ComposeResult:
        with self.box("Ask"):
            first = self._given or (self.thought.query if self.thought else "")
            yield Entry(first, placeholder="your question", id="question")
            yield Answer("thought")
            yield Sources("thought-sources")

    def on_mount(self) -> None:
        self.question.cursor_blink = self.context.settings.blink
        self._say_keys()
        if self._given and (self.thought is None or self.thought.query != self._given):
            self._ask(self._given)
        elif self.thought is None:
            self.answer.show([Paragraph(strings.NO_QUESTION, "muted")])
        else:
            self._show(self.thought)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        if question := event.value.strip():
            self._ask(question)

    def _ask(self, question: str) -> None:
        self._seconds = 0
        self.thought = None
        self.sources.show(())
        self.answer.border_title = Content("Answer")
        self._stop_clock()
        self._clock = self.set_interval(1.0, self._tick)
        self._say_keys()
        self._wait()
        self.request(partial(self._think, question), self._arrived, self._failed, group="thinking")

    def _think(self, question: str, client: Client) -> Thought:
        """Ask the question and show the answer as it arrives. Runs in a thread."""
        shown, worker = 0.0, get_current_worker()

        def found(thought: Thought) -> None:
            nonlocal shown
            if not thought.answer or time.monotonic() - shown > EVERY:
                shown = time.monotonic()
                self.call_back(worker, partial(self._progress, thought))

        return replace(client, so_far=found).call(operations.recall.think, question)

    def _failed(self, error: ArkError) -> None:
        self._stop_clock()
        self._say_keys()
        said = f"{error.what}\n{self.context.worded(error.hint)}".strip()
        self.answer.show([Paragraph(said, "error")])

    def _progress(self, thought: Thought) -> None:
        """Show the sources, or a part of the answer."""
        if self.thought is None:
            self.sources.show(thought.sources)
        self.thought = thought
        self._wait()

    def _arrived(self, thought: Thought) -> None:
        """Show the complete answer."""
        self.thought = thought
        self._stop_clock()
        self._say_keys()
        self._show(thought)

    def _tick(self) -> None:
        self._seconds += 1
        self._wait()

    def _wait(self) -> None:
        """Show the current step, or the text so far."""
        if self.thought and self.thought.answer:
            self.answer.show([_cited(self.thought, self.thought.answer), Paragraph("\n…", "muted")])
            return
        doing = strings.MODEL_READS.format(model=self.thought.model) if self.thought else "Searching"
        if self.thought and self.thought.goes_to:
            doing += strings.SOURCES_SENT.format(host=self.thought.goes_to)
        self.answer.show([Paragraph(f"{doing} … {self._seconds} s".replace(" 0 s", ""), "muted")])

    def _stop_clock(self) -> None:
        if self._clock is not None:
            self._clock.stop()
            self._clock = None

    def _show(self, thought: Thought) -> None:
        self._title(thought)
        self.answer.show(list(written(thought)))
        self.sources.show(thought.sources)
        self.context.thought = thought
        if thought.sources and self.question.has_focus and self.question.value.strip() == thought.query:
            self.sources.focus()

    @on(Input.Changed)
    def _edited(self) -> None:
        if self.thought is not None and not self.thinking:
            self._title(self.thought)

    def _title(self, thought: Thought) -> None:
        """Show the title, with the question if the input contains another text."""
        title = f"Answer by {visible_line(thought.model)}" if thought.synthesized else "Passages"
        other = self.question.value.strip() != thought.query
        self.answer.border_title = Content(f"{title} on “{visible_line(thought.query)}”" if other else title)

    @on(events.DescendantFocus)
    def _say_keys(self) -> None:
        """Show the keys for the focused part on the border."""
        keys = self.context.keys
        does = "stop" if self.thinking else "close"
        act = "⏎ ask" if self.question.has_focus else f"⏎ read · {keys['ask.copy']} copy"
        said = f"{act} · {keys['dialog.close']} {does}"
        self.query_one(".box", Vertical).border_subtitle = Content(said)

    def action_close(self) -> None:
        """Cancel a running answer, else close."""
        if not self.thinking:
            self.dismiss(None)
            return
        self.workers.cancel_group(self, "thinking")
        self._stop_clock()
        self._say_keys()
        if self.thought is None:
            self.answer.show([Paragraph(strings.ANSWER_STOPPED, "muted")])
        else:
            problem = strings.MODEL_STOPPED.format(model=self.thought.model)
            self._show(replace(self.thought, answer="", problem=problem))

    def on_key(self, event: events.Key) -> None:
        """A digit opens the source with that number, except in the input."""
        digit = event.character or ""
        if digit.isdecimal() and digit != "0" and not self.question.has_focus:
            event.stop()
            self._read(int(digit) - 1)

    @on(RowList.Chosen)
    def action_open(self) -> None:
        self._read(self.sources.cursor)

    def on_click(self, event: events.Click) -> None:
        """A click on a number in the answer opens its source."""
        if cited := event.style.meta.get(MARK, ""):
            self._read(int(cited.strip("[]")) - 1)

    def _read(self, row: int) -> None:
        if self.thought is not None and 0 <= row < self.sources.count:
            one = self.sources.rows[row]
            self.context.dialogs.read(one.document.id, one.chunk, self.thought.query)
        else:
            self.context.say(strings.NO_SOURCE.format(number=row + 1))

    def action_copy(self) -> None:
        if self.thought is None:
            self.context.say(strings.NO_ANSWER)
            return
        self.context.copy(as_text(self.thought), strings.COPY_ANSWER)


def written(thought: Thought) -> Iterator[Paragraph]:
    """The answer with its gaps. Without an answer: the reason, and the passages found."""
    if thought.synthesized:
        yield _cited(thought, thought.answer)
        if thought.gaps:
            yield Paragraph(strings.ANSWER_GAPS, "heading")
            for gap in thought.gaps:
                yield _cited(thought, f"· {gap}")
        odd = [thought.problem] if thought.problem else []
        odd += [strings.ANSWER_DROPPED.format(labels=", ".join(thought.dropped))] if thought.dropped else []
        odd += (
            [strings.ANSWER_LEFT_OUT.format(labels=", ".join(thought.left_out))] if thought.left_out else []
        )
        odd += [strings.ANSWER_REMOTE.format(host=thought.goes_to)] if thought.goes_to else []
        odd += [strings.ANSWER_WITHOUT.format(signals=off) for off in thought.off]
        for one in odd:
            yield Paragraph(f"\nMind: {one}.", "warning")
        return
    yield Paragraph(strings.NO_ANSWER_WRITTEN.format(reason=thought.problem), "warning")
    for off in thought.off:
        yield Paragraph(strings.SEARCHED_WITHOUT.format(signals=off), "warning")
    if thought.sources:
        yield Paragraph(strings.PASSAGES_FOUND, "muted")
    for number, source in enumerate(thought.sources, 1):
        title = shorten(visible_line(source.document.title), 200)
        yield Paragraph(f"[{number}] {title}", "heading", marks=((0, len(f"[{number}]")),))
        read, _ = beneath(source.document.title, *plain(source.text, path=source.document.path))
        yield Paragraph(f"{read.strip()}\n", indent=4)


def as_text(thought: Thought) -> str:
    """The answer with its sources as plain text, for the clipboard."""
    lines = [thought.query, "", *(one.text for one in written(thought)), ""]
    lines += [
        f"[{number}] {visible_line(f'{one.document.title}, {one.document.collection}/{one.document.path}')}"
        for number, one in enumerate(thought.sources, 1)
    ]
    return visible("\n".join(lines)) + "\n"


def _cited(thought: Thought, text: str) -> Paragraph:
    """A text with numbers in place of the labels of sources."""
    for number, source in enumerate(thought.sources, 1):
        text = text.replace(f"[{source.label}]", f"[{number}]")
    return Paragraph(text, marks=tuple(found.span() for found in CITED.finditer(text)))
