"""What a setting may be: the check of a value from the config file, and the reading of one from text."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

YES = ("1", "true", "yes", "on")
NO = ("0", "false", "no", "off", "")


class Unfit(ValueError):
    """A value that a setting cannot take; the message says what it must be."""


class Kind(Protocol):
    """One kind of value."""

    def check(self, value: object) -> object:
        """The value as the program uses it; raises `Unfit`."""
        ...

    def read(self, text: str) -> object:
        """The value that a text stands for, still to be checked."""
        ...


class Text:
    """Any text."""

    def check(self, value: object) -> str:
        if isinstance(value, str):
            return value
        raise Unfit("a text")

    def read(self, text: str) -> object:
        return text


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few names."""

    names: tuple[str, ...]

    def check(self, value: object) -> str:
        if isinstance(value, str) and value in self.names:
            return value
        raise Unfit("one of " + ", ".join(self.names))

    def read(self, text: str) -> object:
        return text


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number between two others, inclusive."""

    low: int
    high: int

    def check(self, value: object) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and self.low <= value <= self.high:
            return value
        raise Unfit(f"a whole number from {self.low} to {self.high}")

    def read(self, text: str) -> object:
        try:
            return int(text)
        except ValueError:
            return text


@dataclass(frozen=True, slots=True)
class Number:
    """A number between two others, inclusive."""

    low: float
    high: float

    def check(self, value: object) -> float:
        good = isinstance(value, int | float) and not isinstance(value, bool)
        if good and math.isfinite(number := float(str(value))) and self.low <= number <= self.high:
            return number
        raise Unfit(f"a number from {self.low:g} to {self.high:g}")

    def read(self, text: str) -> object:
        try:
            return float(text)
        except ValueError:
            return text


class Flag:
    """Yes or no."""

    def check(self, value: object) -> bool:
        if isinstance(value, bool):
            return value
        raise Unfit("true or false")

    def read(self, text: str) -> object:
        word = text.strip().lower()
        return True if word in YES else False if word in NO else text


class Texts:
    """A list of texts; in the environment, separated by commas."""

    def check(self, value: object) -> tuple[str, ...]:
        if isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
            return tuple(str(item) for item in value)
        raise Unfit("a list of texts")

    def read(self, text: str) -> object:
        return [item.strip() for item in text.split(",") if item.strip()]


class Names:
    """A table from names to texts."""

    def check(self, value: object) -> dict[str, str]:
        if isinstance(value, dict) and all(isinstance(item, str) for item in value.values()):
            return {str(name): str(item) for name, item in value.items()}
        raise Unfit("a table of texts")

    def read(self, text: str) -> object:
        return text


def unset(text: str) -> bool:
    """Whether a value is empty, or a literal `${VAR}` that nobody has filled in."""
    bare = text.strip()
    return not bare or (bare.startswith("${") and bare.endswith("}") and "}" not in bare[2:-1])
