"""Rows at a width, of a document that was read as Markdown or as it is written.

Where a row ends is worked out for the whole document, so that it can be scrolled; what is in it when it is
drawn.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Protocol

from rich.cells import cell_len

from ark_tui.interfaces.tui.reading import tables
from ark_tui.interfaces.tui.reading.blocks import UNDERLINED, Block, Piece, Run, pieces, source
from ark_tui.interfaces.tui.reading.folding import fold, row_end
from ark_tui.interfaces.tui.state.colours import Name

GAP, LINE = -1, -2
"""In place of where a row starts: a blank row, and the line below a heading."""

CODE_BAR = "▏ "

MEASURE = 100
"""Cells of a row of prose at most: nobody finds back from longer ones. Code and tables have all there are."""


class Sheet(Protocol):
    """A document's rows at a width, from 0 on."""

    gutter: int  # cells for line numbers

    def __len__(self) -> int: ...

    def number(self, row: int) -> int:
        """The line that begins at a row, from 0; −1 where none does, or lines are not counted."""
        ...

    def place(self, row: int) -> int:
        """Where in the document a row begins."""
        ...

    def row_of(self, place: int) -> int:
        """The row that shows a place of the document."""
        ...

    def pieces(self, row: int) -> list[Piece]:
        """What is in a row."""
        ...


class Rendered:
    """The sheet of a document read as Markdown."""

    gutter = 0

    def __init__(self, blocks: Sequence[Block], width: int) -> None:
        self._blocks = blocks
        self._width = max(8, width)
        self._composed: dict[int, list[tables.Row]] = {}  # tables, by the number of their block
        self._block, self._start, self._end, self._place = array("l"), array("l"), array("l"), array("l")
        for number, block in enumerate(blocks):
            if block.gap is not None:
                self._add(number, GAP, GAP, block.start)
            self._lay(number, block)

    def __len__(self) -> int:
        return len(self._block)

    def number(self, row: int) -> int:
        del row
        return -1

    def place(self, row: int) -> int:
        return self._place[row] if row < len(self._place) else 0

    def row_of(self, place: int) -> int:
        last = max(0, bisect_right(self._place, place) - 1)
        if not self._place or self._blocks[self._block[last]].table is None:
            return last
        folded = range(bisect_left(self._place, self._place[last]), last + 1)  # all begin where the row does
        return next((row for row in folded if self._says(row, place)), last)

    def pieces(self, row: int) -> list[Piece]:
        block, start = self._blocks[self._block[row]], self._start[row]
        if start == GAP:
            return [Piece(block.gap or "", ("gutter",))]
        head = Piece(self._before(block, first=self._is_first(row)), ("gutter",))
        if start == LINE:
            room = self._width - cell_len(head.text)
            return [head, Piece(UNDERLINED.get(block.level, "─") * room, ("gutter",))]
        if block.table is not None:
            text, runs, _ = self._composed[self._block[row]][start]
            return [head, *pieces(text, runs, 0, len(text))]
        if block.kind == "code":
            return [head, Piece(CODE_BAR, ("gutter",)), *self._words(block, row)]
        if block.kind == "heading":
            return [
                head,
                *(word._replace(styles=(_heading(block), *word.styles)) for word in self._words(block, row)),
            ]
        more = block.kind == "chips" and self._end[row] < len(block.text)
        return [head, *self._words(block, row), *([Piece("…", ("gutter",))] if more else [])]

    # -- inside --------------------------------------------------------------------------------------

    def _says(self, row: int, place: int) -> bool:
        """Whether the text at a place is in a row."""
        said = (piece for piece in self.pieces(row) if piece.verbatim)
        return any(piece.source <= place < piece.source + len(piece.text) for piece in said)

    def _words(self, block: Block, row: int) -> list[Piece]:
        return pieces(block.text, block.runs, self._start[row], self._end[row])

    def _is_first(self, row: int) -> bool:
        return row == 0 or self._block[row - 1] != self._block[row] or self._start[row - 1] == GAP

    def _before(self, block: Block, *, first: bool) -> str:
        """What stands before a row; deep nesting leaves half of the width to the text."""
        text = block.first if first else block.rest
        return text[-(self._width // 2) :] if len(text) > self._width // 2 else text

    def _lay(self, number: int, block: Block) -> None:
        room = self._width - cell_len(self._before(block, first=True))
        if block.table is not None:
            self._composed[number] = tables.rows(block.table, room)
            for index, (_, _, start) in enumerate(self._composed[number]):
                self._add(number, index, index, start)
        elif block.kind == "rule":
            self._add(number, LINE, LINE, block.start)
        else:
            taken = {"code": len(CODE_BAR), "chips": 1}.get(block.kind)
            self._fold(number, block, min(room, MEASURE) if taken is None else room - taken)
            if block.kind == "chips":
                self._keep_first(number)
            if block.kind == "heading" and block.level in UNDERLINED:
                self._add(number, LINE, LINE, max(block.start, block.end - 1))

    def _keep_first(self, number: int) -> None:
        """Of a block that has one row at most."""
        while len(self._block) > 1 and self._block[-2] == number and self._start[-2] >= 0:
            for column in (self._block, self._start, self._end, self._place):
                column.pop()

    def _fold(self, number: int, block: Block, room: int) -> None:
        at, first = 0, True
        for line in block.text.split("\n"):
            length = len(line) - line.endswith("\r")
            start = 0
            while True:
                end = row_end(line, start, length, room)
                place = block.start if first else source(block.runs, at + start, block.start)
                self._add(number, at + start, at + end, place)
                first = False
                if end >= length:
                    break
                start = end
            at += len(line) + 1

    def _add(self, block: int, start: int, end: int, place: int) -> None:
        """Places never go down, so that they can be searched."""
        self._block.append(block)
        self._start.append(start)
        self._end.append(end)
        self._place.append(max(place, self._place[-1]) if self._place else place)


def _heading(block: Block) -> Name:
    return "heading" if block.level <= 3 else "strong"


class Written:
    """The sheet of a document as it is written, with its lines counted."""

    def __init__(self, text: str, runs: list[Run], width: int, last_line: int) -> None:
        """`runs` cover the text from its first character on, in order; they may be replaced later."""
        self.gutter = len(str(last_line))
        self._text = text
        self.runs = runs
        self._rows = fold(text, max(8, width - self.gutter))

    def __len__(self) -> int:
        return len(self._rows)

    def number(self, row: int) -> int:
        line = self._rows.line[row]
        return line if self._rows.first_row[line] == row else -1

    def place(self, row: int) -> int:
        return self._rows.start[row] if row < len(self._rows) else 0

    def row_of(self, place: int) -> int:
        return max(0, bisect_right(self._rows.start, place) - 1)

    def pieces(self, row: int) -> list[Piece]:
        return pieces(self._text, self.runs, self._rows.start[row], self._rows.end[row])
