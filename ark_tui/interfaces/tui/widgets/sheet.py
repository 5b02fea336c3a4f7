"""Text to read: styled paragraphs, wrapped to the width."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from rich.style import Style
from textual.strip import Strip

from ark_tui.domain.display import visible
from ark_tui.interfaces.tui.reading.text import TAB, fold
from ark_tui.interfaces.tui.state.colours import Name
from ark_tui.interfaces.tui.widgets import ink
from ark_tui.interfaces.tui.widgets.scrolling import Scroller


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A text of one or more lines in one style; None means plain. `indent` in cells.

    `marks`: clickable ranges of the text, as start and end offsets.
    """

    text: str
    style: Name | None = None
    indent: int = 0
    marks: tuple[tuple[int, int], ...] = ()


class Sheet(Scroller):
    """Stacked paragraphs."""

    def __init__(self, id: str) -> None:  # noqa: A002 - as Textual calls it
        super().__init__(id)
        self.paragraphs: Sequence[Paragraph] = ()
        self._folded: list[list[tuple[int, int]]] = []  # the rows of each paragraph
        self._texts: list[str] = []
        self._firsts: list[int] = []  # the first row of each paragraph
        self._width = 0
        self._goal = 0  # paragraph to scroll to once the size is known

    def show(self, paragraphs: Sequence[Paragraph], *, at: int = 0) -> None:
        """Show paragraphs and scroll to the index `at`; a negative one counts from the end."""
        self.paragraphs = paragraphs
        self._texts = [visible(paragraph.text) for paragraph in paragraphs]
        self._width, self._goal = 0, at
        self._fold()

    @property
    def paragraph(self) -> int:
        """The index of the first visible paragraph."""
        return max(0, bisect_right(self._firsts, self.row) - 1)

    def on_resize(self) -> None:
        if self._width:
            self._goal = self.paragraph
        self._fold()

    def _fold(self) -> None:
        region = self.scrollable_content_region
        if not self.is_attached or region.width < 3:
            return
        width = region.width - 2
        if width != self._width:
            self._width = width
            self._folded = [
                fold(text, width - one.indent) for text, one in zip(self._texts, self.paragraphs, strict=True)
            ]
            self._firsts, rows = [], 0
            for one in self._folded:
                self._firsts.append(rows)
                rows += len(one)
            self.hold(rows)
            self.call_after_refresh(self._to_goal)
        self.refresh()

    def _to_goal(self) -> None:
        if self._goal < 0:
            self.move_to(self.last_row)
        elif self._goal < len(self._firsts):
            self.scroll_to(y=min(self._firsts[self._goal], self.last_row), animate=False, immediate=True)

    def render_line(self, y: int) -> Strip:
        row, width, base = y + self.scroll_offset.y, self.scrollable_content_region.width, self.base
        number = bisect_right(self._firsts, row) - 1
        if number < 0 or row - self._firsts[number] >= len(self._folded[number]):
            return Strip.blank(width, base)
        folded, row = self._folded[number], row - self._firsts[number]
        pieces = self._pieces(number, *folded[row])
        return ink.strip([(" " * (1 + self.paragraphs[number].indent), Style.null()), *pieces], width, base)

    def _pieces(self, number: int, start: int, end: int) -> list[ink.Piece]:
        """A row of a paragraph, with the style of marks."""
        one, text = self.paragraphs[number], self._texts[number]
        plain, marked = self.ink(one.style) if one.style else Style.null(), self.ink("accent")
        pieces: list[ink.Piece] = []
        for first, last in one.marks:
            if start <= first < end:
                pieces += [(text[start:first], plain), (text[first : min(last, end)], marked)]
                start = min(last, end)
        pieces.append((text[start:end], plain))
        return [(piece.replace("\t", TAB).rstrip("\r"), style) for piece, style in pieces]

    def marked_at(self, column: int, y: int) -> str:
        """The marked text at a position in cells; empty if there is none."""
        row = y + self.scroll_offset.y
        number = bisect_right(self._firsts, row) - 1
        if number < 0 or row - self._firsts[number] >= len(self._folded[number]):
            return ""
        one, row = self.paragraphs[number], row - self._firsts[number]
        offset = self._folded[number][row][0] + column - 1 - one.indent
        return next((one.text[a:b] for a, b in one.marks if a <= offset < b), "")
