"""Fits text into columns by its width in terminal cells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice

from ark_tui.domain.display import visible_line
from ark_tui.interfaces.cli.output import Ink

GAP = 2  # minimal number of blanks between two columns
STARTS = "-*+|#>"  # first characters of lines that start a new item

Cell = tuple[str, bool]
"""A character, and whether it belongs to a match."""


def column(text: str, width: int) -> str:
    """Pad the text to `width` cells, with at least two blanks."""
    shown = visible_line(text)
    return shown + " " * max(GAP, width - cells(shown))


def widest(texts: Iterable[str], least: int = 0) -> int:
    """The width of a column for some texts, with the gap behind it."""
    return max([least, *(cells(visible_line(text)) + GAP for text in texts)])


def cells(text: str) -> int:
    """The width of a text in terminal cells."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def fit(text: str, width: int) -> str:
    """Pad the text, or cut it with an ellipsis, to exactly `width` cells."""
    from rich.cells import set_cell_size

    shown = visible_line(text)
    return set_cell_size(shown, width) if cells(shown) <= width else set_cell_size(shown, width - 1) + "…"


def short(text: str, width: int) -> str:
    """Cut the text to at most `width` cells."""
    return fit(text, width).rstrip()


def short_path(path: str, width: int) -> str:
    """Shorten a path to `width` cells from its beginning."""
    shown = visible_line(path)
    if cells(shown) <= width:
        return shown
    while shown and cells(shown) >= width:
        shown = shown[1:]
    return "…" + shown


def flow(text: str, matches: Sequence[tuple[int, int]], width: int, lines: int) -> list[list[Ink]]:
    """Wrap the text to at most `lines` lines of `width` cells, with marked matches and collapsed spaces.

    Paragraphs, list items and table rows start on a new line; an ellipsis marks cut text.
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
    """Lines of at most `width` cells, measured only near the limit: a character has at most two."""
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
    """Split a row that is too long at its last blank, or else before its last character."""
    for place in range(len(row) - 1, 0, -1):
        if row[place][0] == " ":
            return row[:place], row[place + 1 :]
    return row[:-1], row[-1:]


def _cut(row: list[Cell], width: int) -> list[Cell]:
    """Shorten a row to `width` cells, preferably after a word, and append an ellipsis."""
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
