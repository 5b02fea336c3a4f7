"""Tables at a width: columns side by side, their cells folded; too many columns one below the other."""

from __future__ import annotations

from itertools import zip_longest

from rich.cells import cell_len, set_cell_size

from ark_tui.interfaces.tui.reading.blocks import Align, Cell, Run, Styles, Table, source, sources
from ark_tui.interfaces.tui.reading.folding import TAB, row_end

BETWEEN = " │ "
NARROWEST = 7
"""Cells that a column has at least, where its text does not need less."""

LEAST = 4
"""Cells that a value has at least beside the name of its column."""

Row = tuple[str, list[Run], int]
"""Text, its runs, and where it stands in the document."""


def rows(table: Table, width: int) -> list[Row]:
    """The rows of a table, none wider than `width` cells."""
    columns = max((len(row) for row in table.rows), default=0)
    natural = [max(1, *(_widest(row, column) for row in table.rows)) for column in range(columns)]
    widths = _fitted(natural, width - len(BETWEEN) * (columns - 1))
    if widths is None:
        return list(_below_each_other(table, width))
    found: list[Row] = []
    for index, (row, start) in enumerate(zip(table.rows, table.starts, strict=True)):
        found += _side_by_side(row, start, widths, table.aligns, head=index == 0)
        if index == 0:
            line = "─┼─".join("─" * one for one in widths)
            found.append((line, [Run(0, start, ("gutter",), verbatim=False)], start))
    return found


def _widest(row: list[Cell], column: int) -> int:
    return _cells(row[column].text) if column < len(row) else 0


def _cells(text: str) -> int:
    """How wide a text is drawn."""
    return cell_len(text.replace("\t", TAB))


def _fitted(natural: list[int], room: int) -> list[int] | None:
    """Widths within the room: the widest columns give way first; None where they would be too narrow."""
    if sum(min(one, NARROWEST) for one in natural) > room:
        return None
    if sum(natural) <= room:
        return natural
    most, left = max(natural), room
    least = NARROWEST
    while least < most:  # the greatest cap under which all fit
        middle = (least + most + 1) // 2
        if sum(min(one, middle) for one in natural) <= room:
            least = middle
        else:
            most = middle - 1
    widths = [min(one, least) for one in natural]
    left = room - sum(widths)
    for column, one in enumerate(natural):
        if one > widths[column] and left > 0:
            widths[column] += 1
            left -= 1
    return widths


def _side_by_side(
    row: list[Cell], start: int, widths: list[int], aligns: tuple[Align, ...], *, head: bool
) -> list[Row]:
    cells = [*row, *(Cell() for _ in range(len(widths) - len(row)))]
    folded = [_folded(cell.text, width) for cell, width in zip(cells, widths, strict=True)]
    found = []
    for spans in zip_longest(*folded):
        line = _Line(start)
        for column, (cell, span, width) in enumerate(zip(cells, spans, widths, strict=True)):
            if column:
                line.draw(BETWEEN, ("gutter",))
            align = aligns[column] if column < len(aligns) else "left"
            line.cell(cell, span or (0, 0), width, align, ("strong",) if head else ())
        found.append(line.row())
    return found


def _below_each_other(table: Table, width: int) -> list[Row]:
    """Each row as lines of `column: value`, for tables that have no room for their columns."""
    if not table.rows:
        return []
    head = table.rows[0]
    body = list(zip(table.rows, table.starts, strict=True))[1:] or [(head, table.starts[0])]
    found: list[Row] = []
    for number, (row, start) in enumerate(body):
        if number:
            line = "─" * min(width, 12)
            found.append((line, [Run(0, start, ("gutter",), verbatim=False)], start))
        for column, cell in enumerate(row):
            name = head[column].text if column < len(head) and row is not head else ""
            most = max(1, min(max(4, width // 3), width - LEAST - 2))
            name = f"{set_cell_size(name, min(cell_len(name), most)).rstrip()}: " if name else ""
            room = max(LEAST, width - cell_len(name))
            for part, span in enumerate(_folded(cell.text, room)):
                at = source(cell.runs, span[0], start) if column or part else start
                one = _Line(at)
                one.draw(name if part == 0 else " " * cell_len(name), ("strong",))
                one.cell(cell, span, room, "left", ())
                found.append(one.row())
    return found


def _folded(text: str, width: int) -> list[tuple[int, int]]:
    start, spans = 0, []
    while (end := row_end(text, start, len(text), width)) < len(text):
        spans.append((start, end))
        start = end
    return [*spans, (start, len(text))]


class _Line:
    """A row of a table that is being put together."""

    def __init__(self, start: int) -> None:
        self._start = start
        self._texts: list[str] = []
        self._runs: list[Run] = []
        self._length = 0

    def draw(self, text: str, styles: Styles = ()) -> None:
        self._add(text, Run(0, self._start, styles, verbatim=False))

    def cell(self, cell: Cell, span: tuple[int, int], width: int, align: Align, styles: Styles) -> None:
        start, end = span
        while end > start and cell.text[end - 1] == " ":
            end -= 1
        free = max(0, width - _cells(cell.text[start:end]))
        before = {"left": 0, "right": free, "center": free // 2}[align]
        self.draw(" " * before)
        for a, b, run in sources(cell.runs, start, end):
            place = run.source + (a - run.at if run.verbatim else 0)
            self._add(cell.text[a:b], Run(0, place, (*styles, *run.styles), run.verbatim))
        self.draw(" " * (free - before))

    def _add(self, text: str, run: Run) -> None:
        if text:
            self._runs.append(run._replace(at=self._length))
            self._texts.append(text)
            self._length += len(text)

    def row(self) -> Row:
        return "".join(self._texts), self._runs, self._start
