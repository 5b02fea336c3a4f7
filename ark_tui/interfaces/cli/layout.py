"""Fits text into columns, counting the cells that a terminal gives each character."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice

from ark_tui.domain.display import visible_line
from ark_tui.interfaces.cli.output import Ink

GAP = 2  # blanks between two columns, at least
STARTS = "-*+|#>"  # of a line that is no mere continuation

Cell = tuple[str, bool]
"""A character, and whether it belongs to a match."""


def column(text: str, width: int) -> str:
    """The text with blanks behind it: up to `width` cells, and two at least."""
    shown = visible_line(text)
    return shown + " " * max(GAP, width - cells(shown))


def widest(texts: Iterable[str], least: int = 0) -> int:
    """The cells of a column in which each of the texts, with the blanks behind it, has room."""
    return max([least, *(cells(visible_line(text)) + GAP for text in texts)])


def cells(text: str) -> int:
    """How many cells a terminal gives a text."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def fit(text: str, width: int) -> str:
    """The text in exactly `width` cells: padded, or cut with an ellipsis."""
    from rich.cells import set_cell_size

    shown = visible_line(text)
    return set_cell_size(shown, width) if cells(shown) <= width else set_cell_size(shown, width - 1) + "…"


def short(text: str, width: int) -> str:
    """The text in at most `width` cells."""
    return fit(text, width).rstrip()


def short_path(path: str, width: int) -> str:
    """A path in at most `width` cells; its end says more than its beginning."""
    shown = visible_line(path)
    if cells(shown) <= width:
        return shown
    while shown and cells(shown) >= width:
        shown = shown[1:]
    return "…" + shown


def flow(text: str, matches: Sequence[tuple[int, int]], width: int, lines: int) -> list[list[Ink]]:
    """The text in at most `lines` lines of `width` cells: its matches marked, blank space folded.

    Paragraphs, list items and table rows begin on a line of their own; an ellipsis says that there is more.
    """
    rows = list(islice(_rows(_folded(text, matches), width), lines + 1))
    if len(rows) > lines:
        rows = [*rows[: lines - 1], _cut(rows[lines - 1], width - 2)]
    return [[Ink(_text(run), "match" if hit else "") for hit, run in groupby(row, _is_match)] for row in rows]


def _folded(text: str, matches: Sequence[tuple[int, int]]) -> Iterator[Cell]:
    inside = {place for start, end in matches for place in range(start, end)}
    gap = ""
    for place, character in enumerate(text):
        if character.isspace():
            gap += character
            continue
        if gap and place > len(gap):
            yield ("\n" if _breaks(gap, character) else " "), False
        gap = ""
        yield character, place in inside


def _breaks(gap: str, after: str) -> bool:
    lines = gap.count("\n")
    return lines > 1 or (lines == 1 and after in STARTS)


def _rows(cells: Iterator[Cell], width: int) -> Iterator[list[Cell]]:
    """Lines of so many cells at most, which are measured once they may be full: no character has over two."""
    row: list[Cell] = []
    free = width
    for cell in cells:
        if cell[0] == "\n":
            yield row
            row, free = [], width
            continue
        row.append(cell)
        free -= 2
        while free < 0:
            free = width - _width(row)
            if free >= 0:
                break
            head, row = _broken(row)
            yield head
    if row:
        yield row


def _broken(row: list[Cell]) -> tuple[list[Cell], list[Cell]]:
    """A row that is one cell too long, at its last blank; without one, before its last character."""
    for place in range(len(row) - 1, 0, -1):
        if row[place][0] == " ":
            return row[:place], row[place + 1 :]
    return row[:-1], row[-1:]


def _cut(row: list[Cell], width: int) -> list[Cell]:
    """A row with an ellipsis in its last cells, after a whole word where there is one."""
    kept = row
    while _width(kept) > width:
        kept, _ = _broken(kept)
    return [*kept, (" ", False), ("…", False)]


def _width(row: list[Cell]) -> int:
    return cells(_text(row))


def _text(row: Iterator[Cell] | list[Cell]) -> str:
    return "".join(character for character, _ in row)


def _is_match(cell: Cell) -> bool:
    return cell[1]
