"""Reads a TOML file that may be broken: what can be read applies, what cannot is named by its line."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

LONGEST_VALUE = 200  # lines that one value may span in a file that is broken elsewhere
MOST_FAULTS = 50  # dropped lines after which the rest of a file is given up

UNFINISHED = "(at end of document)"  # what further lines may mend
UNREADABLE = (ValueError, RecursionError)  # no TOML; a number of thousands of digits; nested without end

_DEEP_KEY = re.compile(r"(?<![\w\"'-])(?:[\w\"'-]++[ \t]*+\.[ \t]*+){50}")

Table = dict[str, Any]
KeyPath = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fault:
    """A line that could not be read."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Statement:
    """A key with its value, or a table's header. Lines count from 0, `end` is the first one after it."""

    start: int
    end: int
    path: KeyPath


@dataclass(frozen=True)
class Toml:
    """A file's text, what it says, and where it says it."""

    text: str
    values: Table = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """The keys and headers of the file, in order."""
        return tuple(part for part in _statements(self.text.splitlines()) if isinstance(part, Statement))

    def statement(self, path: KeyPath) -> Statement | None:
        """The statement that sets a key or, where a table holds it, the nearest one around it."""
        around = (s for s in self.statements if path[: len(s.path)] == s.path or s.path[: len(path)] == path)
        return max(around, key=lambda s: min(len(s.path), len(path)), default=None)

    def line(self, path: KeyPath) -> int:
        """The line, from 1, where a key is set."""
        found = self.statement(path)
        return found.start + 1 if found else 1


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
    """A text's content, without the lines that make no sense."""
    try:
        return Toml(text, _loads(text))
    except UNREADABLE:
        return _salvage(text)


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


def _salvage(text: str) -> Toml:
    lines = text.splitlines()
    faults: list[Fault] = []
    for part in _statements(lines):
        if isinstance(part, Fault):
            faults.append(part)
            lines[part.line - 1] = ""
    while len(faults) < MOST_FAULTS:
        rest = "\n".join(lines)
        try:
            return Toml(rest, _loads(rest), tuple(faults))
        except UNREADABLE as error:  # each statement is sound, but two contradict each other
            fault = _fault(error, rest)
            faults.append(fault)
            _blank(lines, fault.line - 1)
    return Toml("", {}, tuple(faults))


def _blank(lines: list[str], at: int) -> None:
    for part in _statements(list(lines)):
        if isinstance(part, Statement) and part.start <= at < part.end:
            lines[part.start : part.end] = [""] * (part.end - part.start)
            return
    lines[at] = ""


def _statements(lines: list[str]) -> Iterator[Statement | Fault]:
    """The statements of a text, each one the fewest lines that can be read by themselves."""
    table: KeyPath = ()
    at = 0
    while at < len(lines):
        if not lines[at].strip() or lines[at].lstrip().startswith("#"):
            at += 1
            continue
        end, content = _shortest(lines, at)
        if isinstance(content, Fault):
            yield content
        elif lines[at].lstrip().startswith("["):
            table = _deepest(content)
            yield Statement(at, end, table)
        else:
            yield Statement(at, end, table + _deepest(content))
        at = end


def _shortest(lines: list[str], at: int) -> tuple[int, Table | Fault]:
    first: Fault | None = None
    for end in range(at + 1, min(len(lines), at + LONGEST_VALUE) + 1):
        part = "\n".join(lines[at:end])
        try:
            return end, _loads(part)
        except UNREADABLE as error:
            first = first or _fault(error, part)
            if not str(error).endswith(UNFINISHED):
                break
    return at + 1, Fault(at + 1, first.reason if first else "it cannot be read")


def _deepest(content: Table) -> KeyPath:
    """The path of the one key that a statement sets; a table written inline is its value."""
    path: list[str] = []
    value: object = content
    while isinstance(value, dict) and len(value) == 1:
        ((name, value),) = value.items()
        path.append(name)
    return tuple(path)


def _fault(error: ValueError | RecursionError, text: str) -> Fault:
    if not isinstance(error, tomllib.TOMLDecodeError):
        reason = "nested too deeply" if isinstance(error, RecursionError) else "a number is too long"
        return Fault(1, reason)
    place = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)$", str(error))
    line = int(place[1]) if place and place[1] else text.rstrip().count("\n") + 1
    reason = str(error)[: place.start()] if place else str(error)
    return Fault(line, reason[:1].lower() + reason[1:])
