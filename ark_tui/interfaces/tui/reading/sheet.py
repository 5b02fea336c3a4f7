"""The rows of a document for a width, either of Markdown blocks or of raw text."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from rich.cells import cell_len, set_cell_size

from ark_tui.interfaces.tui.reading.markdown import Block, Table
from ark_tui.interfaces.tui.reading.text import TAB, Piece, Styles, cut, fold, joined

UNDERLINED = {1: "━", 2: "─"}
"""Underlines of headings, by level."""

CODE_BAR = "▏ "

MEASURE = 100
"""Maximum width of prose in cells, for readability. Code and tables use the full width."""

BETWEEN = " │ "
NARROWEST = 7
"""Minimum width of a column in cells, unless its text is narrower."""

Row = tuple[int, list[Piece]]
"""The document offset of a row, and its content."""


class Sheet:
    """Rows, from 0. Their offsets never decrease, which permits binary search."""

    def __init__(self, rows: Iterator[Row], numbers: Sequence[int] = (), gutter: int = 0) -> None:
        """`numbers`: for each row the line that begins there, from 0, or −1.

        `gutter`: cells for line numbers.
        """
        self.gutter = gutter
        self._numbers = numbers
        self._rows: list[list[Piece]] = []
        self._places = array("l")
        for place, pieces in rows:
            self._rows.append(pieces)
            self._places.append(max(place, self._places[-1]) if self._places else place)

    def __len__(self) -> int:
        return len(self._rows)

    def number(self, row: int) -> int:
        """The line that begins at a row, from 0; −1 if none does or lines are not numbered."""
        return self._numbers[row] if self._numbers else -1

    def place(self, row: int) -> int:
        """The document offset of a row."""
        return self._places[row] if row < len(self._places) else 0

    def pieces(self, row: int) -> list[Piece]:
        return self._rows[row]

    def row_of(self, place: int) -> int:
        """The row that shows a document offset."""
        last = max(0, bisect_right(self._places, place) - 1)
        if not self._places:
            return 0
        first = bisect_left(self._places, self._places[last])  # wrapped rows of a table have the same offset
        return next((row for row in range(first, last + 1) if self._shows(row, place)), last)

    def _shows(self, row: int, place: int) -> bool:
        return any(
            piece.source <= place < piece.source + len(piece.text)
            for piece in self._rows[row]
            if piece.verbatim
        )


def written(text: str, pieces: Sequence[Piece], width: int, last_line: int) -> Sheet:
    """Raw text with line numbers."""
    gutter = len(str(last_line))
    spans = fold(text, max(8, width - gutter))
    numbers, line = array("l"), -1
    for start, _ in spans:
        begins = start == 0 or text[start - 1] == "\n"
        line += begins
        numbers.append(line if begins else -1)
    rows = ((start, row) for (start, _), row in zip(spans, cut(pieces, spans), strict=True))
    return Sheet(rows, numbers, gutter)


def rendered(blocks: Sequence[Block], width: int) -> Sheet:
    """Rendered Markdown."""
    width = max(8, width)
    return Sheet(row for block in blocks for row in _block(block, width))


def _block(block: Block, width: int) -> Iterator[Row]:
    if block.gap is not None:
        yield block.start, [Piece(block.gap, ("gutter",))]
    before = block.first
    for place, pieces in _body(block, width - cell_len(_before(block.first, width))):
        yield place, [Piece(_before(before, width), ("gutter",)), *pieces]
        before = block.rest


def _before(text: str, width: int) -> str:
    """The prefix of a row. Deep nesting leaves half of the width for text."""
    return text[-(width // 2) :] if len(text) > width // 2 else text


def _body(block: Block, room: int) -> Iterator[Row]:
    if block.kind == "rule":
        yield block.start, [Piece("─" * room, ("gutter",))]
    elif block.table is not None:
        yield from _table(block.table, room)
    elif block.kind == "chips":
        row = next(_folded(block.pieces, room - 1))
        more = len(joined(row)) < len(joined(block.pieces))
        yield block.start, [*row, *([Piece("…", ("gutter",))] if more else ())]
    elif block.kind == "code":
        bar = Piece(CODE_BAR, ("gutter",))
        for row in _folded(block.pieces, room - len(CODE_BAR)):
            yield _place(row, block.start), [bar, *row]
    else:
        yield from _prose(block, room)


def _prose(block: Block, room: int) -> Iterator[Row]:
    """A paragraph or a heading."""
    style: Styles = ("heading" if block.level <= 3 else "strong",) if block.level else ()
    for row in _folded(block.pieces, min(room, MEASURE)):
        yield _place(row, block.start), [one._replace(styles=(*style, *one.styles)) for one in row]
    if block.level in UNDERLINED:
        yield block.start, [Piece(UNDERLINED[block.level] * room, ("gutter",))]


def _folded(pieces: Sequence[Piece], width: int) -> Iterator[list[Piece]]:
    return cut(pieces, fold(joined(pieces), width))


def _place(row: Sequence[Piece], otherwise: int) -> int:
    return next((piece.source for piece in row if piece.source >= 0), otherwise)


def _table(table: Table, width: int) -> Iterator[Row]:
    """A table with wrapped cells; if there are too many columns, they are stacked."""
    columns = max((len(row) for row in table.rows), default=0)
    natural = [
        max(1, *(_cells(row[column]) for row in table.rows if column < len(row))) for column in range(columns)
    ]
    widths = _fitted(natural, width - len(BETWEEN) * (columns - 1))
    if widths is None:
        yield from _below_each_other(table, width)
        return
    for index, (row, start) in enumerate(zip(table.rows, table.starts, strict=True)):
        cells = [*row, *([] for _ in range(columns - len(row)))]
        columned = [list(_folded(cell, room)) for cell, room in zip(cells, widths, strict=True)]
        for line in zip_longest(*columned, fillvalue=[]):
            yield start, list(_side_by_side(line, widths, table.aligns, head=index == 0))
        if index == 0:
            yield start, [Piece("─┼─".join("─" * one for one in widths), ("gutter",))]


def _side_by_side(
    cells: Sequence[list[Piece]], widths: Sequence[int], aligns: Sequence[str], *, head: bool
) -> Iterator[Piece]:
    for column, (cell, width) in enumerate(zip(cells, widths, strict=True)):
        if column:
            yield Piece(BETWEEN, ("gutter",))
        row = _trimmed(cell)
        free = max(0, width - _cells(row))
        align = aligns[column] if column < len(aligns) else "Left"
        left = {"Right": free, "Center": free // 2}.get(align, 0)
        yield Piece(" " * left)
        for piece in row:
            yield piece._replace(styles=("strong", *piece.styles)) if head else piece
        yield Piece(" " * (free - left))


def _below_each_other(table: Table, width: int) -> Iterator[Row]:
    """Each row as lines of `column: value`, for tables that are too wide."""
    if not table.rows:
        return
    head = table.rows[0]
    body = list(zip(table.rows, table.starts, strict=True))[1:] or [(head, table.starts[0])]
    for number, (row, start) in enumerate(body):
        if number:
            yield start, [Piece("─" * min(width, 12), ("gutter",))]
        for column, cell in enumerate(row):
            name = joined(head[column]) if column < len(head) and row is not head else ""
            most = max(1, min(max(4, width // 3), width - 6))
            name = f"{set_cell_size(name, min(cell_len(name), most)).rstrip()}: " if name else ""
            for part, pieces in enumerate(_folded(cell, max(4, width - cell_len(name)))):
                before = name if part == 0 else " " * cell_len(name)
                place = _place(pieces, start) if column or part else start
                yield place, [Piece(before, ("strong",)), *_trimmed(pieces)]


def _trimmed(row: list[Piece]) -> list[Piece]:
    """A row without trailing spaces."""
    row = list(row)
    while row and not row[-1].text.rstrip(" "):
        row.pop()
    return [*row[:-1], row[-1]._replace(text=row[-1].text.rstrip(" "))] if row else row


def _cells(pieces: Sequence[Piece]) -> int:
    """The width of pieces in cells."""
    return cell_len(joined(pieces).replace("\t", TAB))


def _fitted(natural: Sequence[int], room: int) -> list[int] | None:
    """Column widths that fit, shrinking the widest first. None if they would be too narrow."""
    if sum(min(one, NARROWEST) for one in natural) > room:
        return None
    cap = max(natural, default=0)
    while sum(min(one, cap) for one in natural) > room:
        cap -= 1
    widths = [min(one, cap) for one in natural]
    left = room - sum(widths)
    for column, one in enumerate(natural):
        if one > widths[column] and left > 0:
            widths[column] += 1
            left -= 1
    return widths
