"""The only writer of stdout: data, as one stream of bytes.

Except for color, the bytes are the same on a terminal, in a pipe and in a file; lines are laid out for 80
columns. Text from documents is written without control characters.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, BinaryIO, TypeAlias

from ark_tui.domain.display import address, visible, visible_line

WIDTH = 80
GAP = 2  # minimal number of blanks between two columns
STARTS = "-*+|#>"  # first characters of lines that start a new item
COMPLETION = "_ARK_TUI_COMPLETE"
"""The environment variable by which a shell requests completions."""

STYLES = {
    "strong": "1",
    "faint": "2",
    "struck": "2;9",
    "match": "1;4",
    "good": "32",
    "bad": "31",
    # one color per signal family, as in the workbench
    "words": "38;2;86;180;233",
    "meaning": "38;2;230;159;0",
    "time": "38;2;0;158;115",
    "structure": "38;2;204;121;167",
    "model": "38;2;240;228;66",
}

_UNSAFE_IN_JSON = re.compile(
    "[\x7f-\x9f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]"
)
_UNSAFE_PLANE = re.compile("[\U000e0000-\U000e007f]")


@dataclass(frozen=True, slots=True)
class Console:
    """The output streams and their capabilities."""

    out: BinaryIO
    err: BinaryIO
    colour: bool  # whether `out` may have color: a capable terminal, not disabled by the user
    err_is_terminal: bool


def on_terminal() -> bool:
    """Whether there is an interactive terminal for questions and the workbench."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def console() -> Console:
    """The streams of this command."""
    return Console(
        sys.stdout.buffer, sys.stderr.buffer, coloured(sys.stdout.isatty(), os.environ), sys.stderr.isatty()
    )


def coloured(terminal: bool, environ: Mapping[str, str]) -> bool:
    """Whether a stream may have color: a capable terminal, not disabled by the user."""
    return terminal and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"


@dataclass(frozen=True, slots=True)
class Ink:
    """A text with its style on color terminals, where it links to its `file`."""

    text: str
    style: str = ""
    file: str = ""


Piece: TypeAlias = str | Ink


class Output:
    """Writes a command's data."""

    def __init__(self, *, plain: bool = False) -> None:
        self.plain = plain
        self._console = console()
        self._colour = not plain and self._console.colour

    def line(self, *pieces: Piece) -> None:
        """Write one line; line breaks in the pieces are escaped."""
        self._write("".join(map(self._painted, pieces)).rstrip(" ") + "\n")

    def block(self, *pieces: Piece) -> None:
        """Write text with its own line breaks."""
        text = "".join(self._painted(piece, lines=True) for piece in pieces)
        self._write(text if text.endswith("\n") or not text else text + "\n")

    def piece(self, text: str) -> None:
        """Write a part of a text with its own line breaks, and flush it."""
        self._write(self._painted(text, lines=True))
        self.flush()

    def document(self, value: Any) -> None:
        """Write a JSON document."""
        self._write(dumped(value, indent=2) + "\n")

    def event(self, value: Any) -> None:
        """Write a line of a JSON stream, and flush it."""
        self._write(dumped(value) + "\n")
        self.flush()

    def flush(self) -> None:
        """Flush the output."""
        self._console.out.flush()

    def _painted(self, piece: Piece, *, lines: bool = False) -> str:
        ink = piece if isinstance(piece, Ink) else Ink(piece)
        text = visible(ink.text).replace("\r\n", "\n") if lines else visible_line(ink.text)
        if not self._colour or not ink.style or not text:
            return text
        painted = f"\x1b[{STYLES[ink.style]}m{text}\x1b[0m"
        return painted if not ink.file else _linked(painted, ink.file)

    def _write(self, text: str) -> None:
        self._console.out.write(text.encode("utf-8", "backslashreplace"))


def _linked(text: str, file: str) -> str:
    """The text as a link to a file (OSC 8); terminals without links show only the text.

    The URL names the machine: a terminal on another one, over SSH, would open a local file.
    """
    return f"\x1b]8;;file://{os.uname().nodename}{address(file, reserved='%?#')}\x1b\\{text}\x1b]8;;\x1b\\"


def dumped(value: Any, indent: int | None = None) -> str:
    """JSON with unescaped non-ASCII letters; control characters stay escaped."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    text = _UNSAFE_IN_JSON.sub(lambda match: f"\\u{ord(match.group()):04x}", text)
    return _UNSAFE_PLANE.sub(lambda match: json.dumps(match.group())[1:-1], text)


# -- layout -----------------------------------------------------------------------------------------------

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
    runs = (groupby(row, itemgetter(1)) for row in rows)
    return [[Ink(_text(run), "match" if hit else "") for hit, run in row] for row in runs]


def _folded(text: str, matches: Sequence[tuple[int, int]]) -> Iterator[Cell]:
    inside = {place for start, end in matches for place in range(start, end)}
    gap = ""
    for place, character in enumerate(text):
        if character.isspace():
            gap += character
            continue
        if gap and place > len(gap):
            lines = gap.count("\n")
            breaks = lines > 1 or (lines == 1 and character in STARTS)
            yield ("\n" if breaks else " "), False
        gap = ""
        yield character, place in inside


def _rows(characters: Iterator[Cell], width: int) -> Iterator[list[Cell]]:
    """Lines of at most `width` cells, measured only near the limit: a character has at most two."""
    row: list[Cell] = []
    free = width
    for cell in characters:
        if cell[0] == "\n":
            yield row
            row, free = [], width
            continue
        row.append(cell)
        free -= 2
        while free < 0:
            free = width - cells(_text(row))
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
    while cells(_text(kept)) > width:
        kept, _ = _broken(kept)
    return [*kept, (" ", False), ("…", False)]


def _text(row: Iterator[Cell] | list[Cell]) -> str:
    return "".join(character for character, _ in row)
