"""Limits of size, depth and number of values of received JSON, checked while it arrives."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ark_tui.domain.errors import UsageError

LARGEST = 10 * 1024 * 1024  # bytes
DEEPEST = 32  # nesting levels of arrays and objects
MOST = 100_000  # values in total; with names, there are at most four times as many quotes

STRING = re.compile(rb'"[^"]*"?')
NO_MARKS = bytes(set(range(256)) - set(b",[]{}"))


class TooMuch(UsageError):
    """A request or message with too many values."""


class Shape:
    """Counts the values and nesting levels of a body given in parts, in linear time."""

    def __init__(self) -> None:
        self._counts = {b",[{": 0, b"]}": 0, b'"': 0}
        self._depth = 0
        self._escape = b""  # a trailing backslash of a part, which escapes the first byte of the next

    def feed(self, part: bytes) -> None:
        """Process the next part. Raises `UsageError` as soon as a limit is exceeded."""
        text = (self._escape + part).replace(b"\\\\", b"").replace(b'\\"', b"")
        self._escape = b"\\" if text.endswith(b"\\") else b""
        in_string = self._counts[b'"'] % 2 == 1
        self._count(text, b'"', 4 * MOST)
        marks = STRING.sub(b"", b'"' + text if in_string else text).translate(None, NO_MARKS)
        self._count(marks, b",[{", MOST)
        self._count(marks, b"]}", MOST)
        for mark in marks.translate(None, b","):
            self._depth += 1 if mark in b"[{" else -1
            if self._depth > DEEPEST:
                raise UsageError(f"JSON may be {DEEPEST} levels deep here.", "Send less nested JSON.")

    def _count(self, text: bytes, marks: bytes, most: int) -> None:
        self._counts[marks] += sum(text.count(mark) for mark in marks)
        if self._counts[marks] > most:
            raise TooMuch(f"A request may have {MOST:,} values.", "Send it in several parts.")


def place_of(parts: Iterable[object]) -> str:
    """The path of a validation error, without the names of union members: `messages.0.role`."""
    return ".".join(part for part in map(str, parts) if "[" not in part)


def of_json(problem: str) -> str:
    """The message of a validation error in terms of JSON: lists instead of tuples."""
    return problem.removeprefix("Value error, ").replace("tuple", "list").replace("Tuple", "List")
