"""Pieces of styled text with their document offsets, and wrapping to a width."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.cells import get_character_cell_size

from ark_tui.interfaces.tui.state.colours import Name

Styles = tuple[Name, ...]
"""Names of styles that overlap, lowest layer first."""

TAB = "    "
"""Replacement for a tab."""


class Piece(NamedTuple):
    """A piece of text. `source` is −1 for text that is not in the document, such as a bullet."""

    text: str
    styles: Styles = ()
    source: int = -1
    verbatim: bool = False  # equals the document's text from `source` on


def joined(pieces: Sequence[Piece]) -> str:
    return "".join(piece.text for piece in pieces)


def cut(pieces: Sequence[Piece], spans: Sequence[tuple[int, int]]) -> Iterator[list[Piece]]:
    """For each span of the joined text, its pieces. Spans are in order and do not overlap."""
    index, at = 0, 0  # a piece and its offset
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
    """Wrap a text to a width in cells and return its rows as spans. Breaks at spaces where possible."""
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
    """The end of the row that begins at `start`."""
    window = line[start : min(length, start + width + 1)]
    if window.isascii() and "\t" not in window:  # one cell per character: no need to check each
        return length if len(window) <= width else _at_space(window, start, start + width)
    used = 0
    for i in range(start, length):
        used += len(TAB) if line[i] == "\t" else get_character_cell_size(line[i])
        if used > width:
            return _at_space(line[start : i + 1], start, max(i, start + 1))
    return length


def _at_space(window: str, start: int, full: int) -> int:
    """The position after the last space of a row, which may exceed the width; else the end of the row."""
    space = window.rfind(" ", 1)
    return start + space + 1 if space > 0 else full
