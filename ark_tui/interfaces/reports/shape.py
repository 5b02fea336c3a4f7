"""How large, how deep and how long the JSON that a server is sent may be: found out as it arrives."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ark_tui.domain.errors import UsageError

LARGEST = 10 * 1024 * 1024  # bytes
DEEPEST = 32  # arrays and objects within each other
MOST = 100_000  # values in all; each may have a name, so there are at most four times as many quotes

STRING = re.compile(rb'"[^"]*"?')
NO_MARKS = bytes(set(range(256)) - set(b",[]{}"))


class TooMuch(UsageError):
    """More than a request or message may hold."""


class Shape:
    """Counts the values and levels of a body that comes in parts; linear in its length."""

    def __init__(self) -> None:
        self._counts = {b",[{": 0, b"]}": 0, b'"': 0}
        self._depth = 0
        self._escape = b""  # a backslash at the end of a part: it belongs to what comes next

    def feed(self, part: bytes) -> None:
        """Take the next part; raises `UsageError` as soon as the whole is too deep or too long."""
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
                raise UsageError(f"JSON may be {DEEPEST} levels deep here.", "Send it flatter.")

    def _count(self, text: bytes, marks: bytes, most: int) -> None:
        self._counts[marks] += sum(text.count(mark) for mark in marks)
        if self._counts[marks] > most:
            raise TooMuch(f"A request may hold {MOST:,} values.", "Send it in several parts.")


def place_of(parts: Iterable[object]) -> str:
    """Where in JSON something is wrong, without the kinds that were tried there: `messages.0.role`."""
    return ".".join(part for part in map(str, parts) if "[" not in part)


def of_json(problem: str) -> str:
    """What is wrong with a value, in words: JSON has lists where Python has tuples."""
    return problem.removeprefix("Value error, ").replace("tuple", "list").replace("Tuple", "List")
