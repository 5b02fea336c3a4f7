"""Pieces of styled text that know where in the document they stand, and how they are folded to a width."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.cells import get_character_cell_size

from ark_tui.interfaces.tui.state.colours import Name

Styles = tuple[Name, ...]
"""Names of styles that lie over each other, the lowest first."""

TAB = "    "
"""What a tab is drawn as."""


class Piece(NamedTuple):
    """A stretch of text; `source` is −1 for what the document does not say, such as a bullet."""

    text: str
    styles: Styles = ()
    source: int = -1
    verbatim: bool = False  # it stands in the document letter by letter, from `source` on


def joined(pieces: Sequence[Piece]) -> str:
    return "".join(piece.text for piece in pieces)


def cut(pieces: Sequence[Piece], spans: Sequence[tuple[int, int]]) -> Iterator[list[Piece]]:
    """The pieces of each span of their joined text; the spans are in order and do not overlap."""
    index, at = 0, 0  # a piece, and where it begins
    for start, end in spans:
        while index < len(pieces) and at + len(pieces[index].text) <= start:
            at += len(pieces[index].text)
            index += 1
        found, number, begin = list[Piece](), index, at
        while number < len(pieces) and begin < end:
            piece = pieces[number]
            a, b = max(0, start - begin), min(len(piece.text), end - begin)
            if a < b:
                source = piece.source + a if piece.verbatim else piece.source
                found.append(Piece(piece.text[a:b], piece.styles, source, piece.verbatim))
            begin += len(piece.text)
            number += 1
        yield found


def fold(text: str, width: int) -> list[tuple[int, int]]:
    """The rows of a text at a width in cells, as spans: broken at spaces if there are any, else anywhere."""
    rows = []
    at = 0
    for line in text.split("\n"):
        length = len(line) - line.endswith("\r")
        start = 0
        while (end := _row_end(line, start, length, max(1, width))) < length:
            rows.append((at + start, at + end))
            start = end
        rows.append((at + start, at + length))
        at += len(line) + 1
    return rows


def _row_end(line: str, start: int, length: int, width: int) -> int:
    """Where the row that begins at `start` ends."""
    window = line[start : min(length, start + width + 1)]
    if window.isascii() and "\t" not in window:  # a cell for every character: no need to look at each
        return length if len(window) <= width else _at_space(window, start, start + width)
    used = 0
    for i in range(start, length):
        used += len(TAB) if line[i] == "\t" else get_character_cell_size(line[i])
        if used > width:
            return _at_space(line[start : i + 1], start, max(i, start + 1))
    return length


def _at_space(window: str, start: int, full: int) -> int:
    """Behind the last space of a row, which may itself be the one too many; else where the row is full."""
    space = window.rfind(" ", 1)
    return start + space + 1 if space > 0 else full
