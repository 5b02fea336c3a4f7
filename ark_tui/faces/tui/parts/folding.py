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
    """The rows of a text at a width in cells: at spaces where there are any, else anywhere."""
    rows = Folded()
    width = max(1, width)
    at = 0
    for number, line in enumerate(text.split("\n")):
        length = len(line) - line.endswith("\r")
        rows.first_row.append(len(rows))
        narrow = line.isascii() and "\t" not in line
        if narrow and length <= width:
            rows.add(number, at, at + length)
        elif narrow:
            _narrow(rows, number, line, length, at, width)
        else:
            _wide(rows, number, line, length, at, width)
        at += len(line) + 1
    return rows


def _narrow(rows: Folded, number: int, line: str, length: int, at: int, width: int) -> None:
    """A line of which every character takes one cell."""
    start = 0
    while length - start > width:
        space = line.rfind(" ", start + 1, start + width + 1)
        end = space + 1 if space > start else start + width
        rows.add(number, at + start, at + end)
        start = end
    rows.add(number, at + start, at + length)


def _wide(rows: Folded, number: int, line: str, length: int, at: int, width: int) -> None:
    """A line with tabs, or characters of none or two cells."""
    start, used, space = 0, 0, -1
    for i in range(length):
        character = line[i]
        size = len(TAB) if character == "\t" else get_character_cell_size(character)
        if used + size > width and i > start:
            end = space + 1 if space > start else i
            rows.add(number, at + start, at + end)
            used = sum(_size(one) for one in line[end:i])
            start = end
        used += size
        if character == " ":
            space = i
    rows.add(number, at + start, at + length)


def _size(character: str) -> int:
    return len(TAB) if character == "\t" else get_character_cell_size(character)
