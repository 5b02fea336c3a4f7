"""Tolerant TOML reader: valid statements apply, invalid ones are reported by line.

Parsing uses the standard library. A broken file is parsed statement by statement: a statement begins at a
line that looks like a key or a table header; an invalid one is left out.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

MOST_FAULTS = 50  # maximum invalid statements; beyond that, the whole file is rejected
LONGEST = 200  # maximum lines of a statement in a broken file
UNREADABLE = (ValueError, RecursionError)  # invalid TOML or a huge number; too deep nesting

_STARTS = re.compile(r"""\s*+(?:\[\[?(?P<table>[^\[\]]*+)\]\]?\s*+(?:\#|$)|(?P<key>["'\w.\- \t]++)=)""")
_PLACE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")
_DEEP_KEY = re.compile(r"(?<![\w\"'-])(?:[\w\"'-]++[ \t]*+\.[ \t]*+){50}")

Table = dict[str, Any]
KeyPath = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fault:
    """An unreadable line (from 1) and the reason."""

    line: int
    reason: str


@dataclass(frozen=True)
class Toml:
    """A file's text, its values, and its faults."""

    text: str
    values: Table = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()

    def line(self, path: KeyPath) -> int:
        """The line (from 1) that sets a key, else that of the nearest enclosing table, else 1."""
        best = (0, 1)
        for number, found in _keys(self.text):
            if found == path[: len(found)] or path == found[: len(path)]:
                best = max(best, (min(len(found), len(path)), number), key=lambda one: one[0])
        return best[1]


def read(path: Path) -> Toml:
    """Read and parse a file. A missing file is empty; an unreadable one is a fault."""
    try:
        data = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return Toml("")
    except OSError as error:
        return Toml("", faults=(Fault(1, f"the file cannot be read: {error.strerror or error}"),))
    return parse(data.decode("utf-8", "replace"))


def parse(text: str) -> Toml:
    """Parse a text, leaving out invalid statements."""
    try:
        return Toml(text, _loads(text))
    except UNREADABLE:
        return _salvaged(text)


def written(value: object) -> str:
    """Format a value as TOML. JSON strings are valid TOML strings."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{written(key)} = {written(item)}" for key, item in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _loads(text: str) -> Table:
    """Parse TOML. Raises `ValueError`, or `RecursionError` for deep keys, which take quadratic time."""
    if _DEEP_KEY.search(text):
        raise RecursionError
    return tomllib.loads(text)


def _salvaged(text: str) -> Toml:
    lines = text.splitlines()
    faults: list[Fault] = []
    statements: list[tuple[int, int]] = []
    for start, end in _statements(lines):
        statements.append((start, end))
        try:
            _loads("\n".join(lines[start:end]))
        except UNREADABLE as error:
            faults.append(Fault(start + 1, _reason(error)))
            lines[start:end] = [""] * (end - start)
            if len(faults) == MOST_FAULTS:  # each costs up to `LONGEST` attempts
                break
    while len(faults) < MOST_FAULTS:
        rest = "\n".join(lines)
        try:
            return Toml(rest, _loads(rest), tuple(faults))
        except UNREADABLE as error:  # each statement is valid, but two contradict each other
            place = _PLACE.search(str(error))
            at = int(place[1]) - 1 if place and place[1] else len(lines) - 1
            start, end = next(one for one in statements if one[0] <= at < one[1])
            faults.append(Fault(start + 1, _reason(error)))
            lines[start:end] = [""] * (end - start)
    return Toml("", {}, tuple(faults))


def _statements(lines: list[str]) -> Iterator[tuple[int, int]]:
    """The line range of each statement (from 0, end excluded): up to where it parses, else one line."""
    at, borders = 0, _borders(lines)
    while at < len(lines):
        border = min(borders[at], at + LONGEST)
        ends = (end for end in range(at + 1, border + 1) if not _fails(lines[at:end]))
        end = next(ends, at + 1)
        yield at, end
        at = end


def _borders(lines: list[str]) -> list[int]:
    """For each line, the next one that looks like the start of a statement, or the end."""
    found, border = [0] * len(lines), len(lines)
    for at in reversed(range(len(lines))):
        found[at] = border
        if _STARTS.match(lines[at]):
            border = at
    return found


def _fails(lines: list[str]) -> bool:
    try:
        _loads("\n".join(lines))
    except UNREADABLE:
        return True
    return False


def _keys(text: str) -> Iterator[tuple[int, KeyPath]]:
    """The line number and path of each key and table header."""
    table: KeyPath = ()
    for number, line in enumerate(text.splitlines(), start=1):
        if not (found := _STARTS.match(line)):
            continue
        header = (found["table"] or "").strip()
        path = _path(header or found["key"] or "")
        table = path if header else table
        yield number, path if header else (*table, *path)


def _path(written_path: str) -> KeyPath:
    """Split a dotted key such as `a."b.c"` into its names."""
    return tuple(part.strip("\"'") for part in re.findall(r"\"[^\"]*\"|'[^']*'|[^.\s]+", written_path))


def _reason(error: ValueError | RecursionError) -> str:
    if not isinstance(error, tomllib.TOMLDecodeError):
        return "nested too deeply" if isinstance(error, RecursionError) else "a number is too long"
    reason = _PLACE.sub("", str(error))
    return reason[:1].lower() + reason[1:]
