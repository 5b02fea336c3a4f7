"""The only writer of stdout: data, as one stream of bytes.

Except for color, the bytes are the same on a terminal, in a pipe and in a file; lines are laid out for 80
columns. Text from documents is written without control characters.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from typing import Any, TypeAlias

from ark_tui.domain.display import address, visible, visible_line
from ark_tui.interfaces.cli.console import console

WIDTH = 80

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
