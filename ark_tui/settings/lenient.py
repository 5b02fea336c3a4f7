"""Reads a TOML file that may be broken: what can be read applies, what cannot is named by its line.

Reading is the standard library's. A broken file is read statement by statement: a statement begins at a
line that looks like a key or a table's header, and one that is no TOML is left out.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

MOST_FAULTS = 50  # statements left out, after which the rest of a file is given up
LONGEST = 200  # lines of one statement in a file that is broken elsewhere
UNREADABLE = (ValueError, RecursionError)  # no TOML; a number of thousands of digits; nested without end

_STARTS = re.compile(r"""\s*(?:\[\[?\s*(?P<table>[^\[\]]*?)\s*\]\]?\s*(?:\#|$)|(?P<key>["'\w.\- ]+?)\s*=)""")
_PLACE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")
_DEEP_KEY = re.compile(r"(?<![\w\"'-])(?:[\w\"'-]++[ \t]*+\.[ \t]*+){50}")

Table = dict[str, Any]
KeyPath = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fault:
    """A line, from 1, that could not be read, and why."""

    line: int
    reason: str


@dataclass(frozen=True)
class Toml:
    """A file's text, what it says, and what of it could not be read."""

    text: str
    values: Table = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()

    def line(self, path: KeyPath) -> int:
        """The line, from 1, that sets a key, else that of the nearest table around it, else 1."""
        best = (0, 1)
        for number, found in _keys(self.text):
            if found == path[: len(found)] or path == found[: len(path)]:
                best = max(best, (min(len(found), len(path)), number), key=lambda one: one[0])
        return best[1]


def read(path: Path) -> Toml:
    """A file's content; a file that is not there is empty, one that cannot be read is a fault."""
    try:
        data = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return Toml("")
    except OSError as error:
        return Toml("", faults=(Fault(1, f"the file cannot be read: {error.strerror or error}"),))
    return parse(data.decode("utf-8", "replace"))


def parse(text: str) -> Toml:
    """A text's content, without the statements that make no sense."""
    try:
        return Toml(text, _loads(text))
    except UNREADABLE:
        return _salvaged(text)


def written(value: object) -> str:
    """A value as TOML writes it: JSON's texts are TOML's texts."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{written(key)} = {written(item)}" for key, item in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _loads(text: str) -> Table:
    """What TOML says. Raises `ValueError` or `RecursionError`; reading takes the square of a key's length."""
    if _DEEP_KEY.search(text):
        raise RecursionError
    return tomllib.loads(text)


def _salvaged(text: str) -> Toml:
    lines = text.splitlines()
    faults: list[Fault] = []
    for start, end in _statements(lines):
        try:
            _loads("\n".join(lines[start:end]))
        except UNREADABLE as error:
            faults.append(Fault(start + 1, _reason(error)))
            lines[start:end] = [""] * (end - start)
    while len(faults) < MOST_FAULTS:
        rest = "\n".join(lines)
        try:
            return Toml(rest, _loads(rest), tuple(faults))
        except UNREADABLE as error:  # each statement is sound, but two contradict each other
            place = _PLACE.search(str(error))
            at = int(place[1]) - 1 if place and place[1] else len(lines) - 1
            start, end = next(one for one in _statements(lines) if one[0] <= at < one[1])
            faults.append(Fault(start + 1, _reason(error)))
            lines[start:end] = [""] * (end - start)
    return Toml("", {}, tuple(faults))


def _statements(lines: list[str]) -> Iterator[tuple[int, int]]:
    """The lines of each statement, from 0, the end excluded: as many as make sense, else one."""
    at = 0
    while at < len(lines):
        following = (n for n in range(at + 1, len(lines)) if _STARTS.match(lines[n]))
        border = min(next(following, len(lines)), at + LONGEST)
        ends = (end for end in range(at + 1, border + 1) if not _fails(lines[at:end]))
        end = next(ends, at + 1)
        yield at, end
        at = end


def _fails(lines: list[str]) -> bool:
    try:
        _loads("\n".join(lines))
    except UNREADABLE:
        return True
    return False


def _keys(text: str) -> Iterator[tuple[int, KeyPath]]:
    """The line of each key and header, with its path."""
    table: KeyPath = ()
    for number, line in enumerate(text.splitlines(), start=1):
        if not (found := _STARTS.match(line)):
            continue
        path = _path(found["table"] or found["key"] or "")
        table = path if found["table"] else table
        yield number, path if found["table"] else (*table, *path)


def _path(written_path: str) -> KeyPath:
    """`a."b.c"` as its names."""
    return tuple(part.strip("\"'") for part in re.findall(r"\"[^\"]*\"|'[^']*'|[^.\s]+", written_path))


def _reason(error: ValueError | RecursionError) -> str:
    if not isinstance(error, tomllib.TOMLDecodeError):
        return "nested too deeply" if isinstance(error, RecursionError) else "a number is too long"
    reason = _PLACE.sub("", str(error))
    return reason[:1].lower() + reason[1:]
