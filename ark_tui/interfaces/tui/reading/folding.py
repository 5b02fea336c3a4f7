"""Long lines folded to a width, quickly: a document of a megabyte is folded before it is shown."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field

from rich.cells import get_character_cell_size

TAB = "    "
"""What a tab is drawn as."""


@dataclass(slots=True)
class Folded:
    """The rows of a text. Row `r` shows `text[start[r]:end[r]]` of line `line[r]`, counted from 0."""

    line: array[int] = field(default_factory=lambda: array("l"))
    start: array[int] = field(default_factory=lambda: array("l"))
    end: array[int] = field(default_factory=lambda: array("l"))
    first_row: array[int] = field(default_factory=lambda: array("l"))  # by line

    def __len__(self) -> int:
        return len(self.line)

    def add(self, line: int, start: int, end: int) -> None:
        self.line.append(line)
        self.start.append(start)
        self.end.append(end)


def fold(text: str, width: int) -> Folded:
    """The rows of a text at a width in cells: broken at spaces where there are any, else anywhere."""
    rows = Folded()
    width = max(1, width)
    at = 0
    for number, line in enumerate(text.split("\n")):
        length = len(line) - line.endswith("\r")
        rows.first_row.append(len(rows))
        start = 0
        while (end := row_end(line, start, length, width)) < length:
            rows.add(number, at + start, at + end)
            start = end
        rows.add(number, at + start, at + length)
        at += len(line) + 1
    return rows


def row_end(line: str, start: int, length: int, width: int) -> int:
    """Where the row that begins at `start` ends."""
    window = line[start : min(length, start + width + 1)]
    if window.isascii() and "\t" not in window:  # a cell for every character: no need to look at each
        fits = len(window) <= width
        return length if fits else _at_space(window, start, start + width)
    used = 0
    for i, character in enumerate(window):
        used += len(TAB) if character == "\t" else get_character_cell_size(character)
        if used > width:
            return _at_space(window[: i + 1], start, start + max(1, i))
    return _ends_later(line, start, length, width, used, start + len(window))


def _at_space(window: str, start: int, full: int) -> int:
    """Behind the last space of a row, which may itself be the one too many; else where the row is full."""
    space = window.rfind(" ", 1)
    return start + space + 1 if space > 0 else full


def _ends_later(line: str, start: int, length: int, width: int, used: int, at: int) -> int:
    """The end of a row with characters that take no cell, so that it holds more of them than cells."""
    for i in range(at, length):
        used += len(TAB) if line[i] == "\t" else get_character_cell_size(line[i])
        if used > width:
            return _at_space(line[start : i + 1], start, i)
    return length
