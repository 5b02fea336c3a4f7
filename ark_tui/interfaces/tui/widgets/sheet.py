"""Text to read: styled paragraphs, wrapped to the width."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.style import Style

from ark_tui.domain.display import visible
from ark_tui.interfaces.tui.reading.text import TAB, fold
from ark_tui.interfaces.tui.state.colours import Name
from ark_tui.interfaces.tui.widgets import ink
from ark_tui.interfaces.tui.widgets.scrolling import Line, Written

MARK = "mark"
"""Metadata key for the marked text at a position of the screen."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A text of one or more lines in one style; None means plain. `indent` in cells.

    `marks`: clickable ranges of the text, as start and end offsets.
    """

    text: str
    style: Name | None = None
    indent: int = 0
    marks: tuple[tuple[int, int], ...] = ()


class Sheet(Written):
    """Stacked paragraphs."""

    def __init__(self, id: str) -> None:  # noqa: A002 - as Textual calls it
        super().__init__(id)
        self.paragraphs: Sequence[Paragraph] = ()
        self._firsts: list[int] = []  # the first row of each paragraph
        self._goal = 0  # paragraph to scroll to once the size is known

    def show(self, paragraphs: Sequence[Paragraph], *, at: int = 0) -> None:
        """Show paragraphs and scroll to the index `at`; a negative one counts from the end."""
        self.paragraphs, self._goal = paragraphs, at
        self.lay_out()
        self.call_after_refresh(self._to_goal)

    @property
    def paragraph(self) -> int:
        """The index of the first visible paragraph."""
        return max(0, bisect_right(self._firsts, self.row) - 1)

    def on_resize(self) -> None:
        if self._firsts:
            self._goal = self.paragraph
        super().on_resize()
        self.call_after_refresh(self._to_goal)

    def made(self, width: int) -> Iterator[Line]:
        self._firsts, row = [], 0
        for one in self.paragraphs:
            self._firsts.append(row)
            text = visible(one.text)
            for start, end in fold(text, max(1, width - 2 - one.indent)):
                yield [(" " * (1 + one.indent), Style.null()), *self._pieces(one, text, start, end)]
                row += 1

    def _to_goal(self) -> None:
        if self._goal < 0:
            self.move_to(self.last_row)
        elif self._goal < len(self._firsts):
            self.move_to(self._firsts[self._goal])

    def _pieces(self, one: Paragraph, text: str, start: int, end: int) -> list[ink.Piece]:
        """A row of a paragraph, with the style of marks."""
        plain = self.ink(one.style) if one.style else Style.null()
        pieces: list[ink.Piece] = []
        for first, last in one.marks:
            if start <= first < end:
                marked = self.ink("accent") + Style(meta={MARK: text[first:last]})
                pieces += [(text[start:first], plain), (text[first : min(last, end)], marked)]
                start = min(last, end)
        pieces.append((text[start:end], plain))
        return [(piece.replace("\t", TAB).rstrip("\r"), style) for piece, style in pieces]
