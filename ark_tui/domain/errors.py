"""Errors a person can act on.

```
ArkError                  1  something failed; says what, and what to do next
├── NotFound              1  no such document, chunk or collection
├── Ambiguous             1  a short id or name that fits several
├── NoVector              1  a chunk or document that is known but has no vector (yet)
├── Forbidden             1  what a token does not let its holder do
├── ModelUnavailable      1  an embedding model that cannot be loaded or reached
├── UsageError            2  a command or argument that cannot be carried out
│   ├── KeyReused         2  an idempotency key that has been used for another request
│   └── QuerySyntaxError  2  a query that cannot be read; knows the column
├── ConfigError           2  a setting that cannot be used
├── StoreError            3  the store is missing, broken, too new, read-only or full
│   ├── StoreLocked       3  another process has held the store for too long
│   └── IndexDamaged      3  an index that cannot be read; it is rebuilt from the store
├── AlreadyDone           0  a call that was carried out before, whose answer was not kept
├── Busy                  1  so much is under way already that nothing more is begun
└── Cancelled           130  the person, or a newer search, asked to stop
    └── Paused          130  likewise, to go on later
```

The number is the exit code of the command line.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import SupportsIndex

FAULTS = "faults.log"
"""The file, among the logs of a home, with the tracebacks of bugs."""

BUG = "Something unexpected went wrong; this is a bug."
BUG_HINT = f"What happened is written in logs/{FAULTS} of the home."

APART, WITHIN = frozenset(" \t\n\"'\\$`!*?[]{}()<>|&;"), frozenset('"\\$`!')
"""What a shell reads as more than a letter, and what of it within double quotes, too."""


@dataclass(frozen=True, slots=True)
class Step:
    """What to ask for next: an operation, or a command, by its name; `name` is empty for the same one again.

    `arguments` come in the order of its parameters; `options` by their names on the command line, with `_`
    for `-`, True for what is only switched on.
    """

    name: str = ""
    arguments: tuple[str, ...] = ()
    options: tuple[tuple[str, str | bool], ...] = ()

    @property
    def typed(self) -> str:
        """As it is typed in a terminal."""
        given = [_quoted(argument) for argument in self.arguments]
        for name, value in self.options:
            given += [f"--{name.replace('_', '-')}", *([_quoted(str(value))] if value is not True else [])]
        return " ".join((*(("ark-tui", self.name) if self.name else ()), *given))


def _quoted(word: str) -> str:
    """A word as a shell takes it for one; `~` at its beginning is still the folder of the person."""
    if word and word[0] != "#" and not APART & set(word):
        return word
    return "'" + word.replace("'", "'\\''") + "'" if WITHIN & set(word) else f'"{word}"'


class Hint(str):
    """A sentence with steps in it, which each interface words in its own terms: `worded`.

    As a string it is worded for a terminal: `Hint.run("show", "#3fa9c1", say="See its links: {}.")`. What is
    added to it with `+`, before or after, joins the sentence; within an f-string it is a plain string.
    """

    __slots__ = ("parts",)
    parts: tuple[str | Step, ...]

    @classmethod
    def of(cls, *parts: str | Step) -> Hint:
        """A sentence of these parts."""
        made = cls("".join(part.typed if isinstance(part, Step) else part for part in parts))
        made.parts = parts
        return made

    @classmethod
    def run(cls, name: str, *arguments: object, say: str = "{}", **options: str | bool) -> Hint:
        """An operation by its name, with what it is to be asked for, within a sentence."""
        given = tuple((option.rstrip("_"), value) for option, value in options.items())
        before, _, after = say.rpartition("{}")  # whatever else there is in braces
        return cls.of(before, Step(name, tuple(map(str, arguments)), given), after)

    @classmethod
    def give(cls, say: str = "{}", **options: str | bool) -> Hint:
        """Parameters to ask the same operation with."""
        return cls.run("", say=say, **options)

    def __add__(self, after: str) -> Hint:
        return Hint.of(*self.parts, *parts_of(after))

    def __radd__(self, before: str) -> Hint:
        return Hint.of(*parts_of(before), *self.parts)

    def replace(self, old: str, new: str, count: SupportsIndex = -1, /) -> Hint:
        """As of a string, in the sentence and in what its steps are given; each is counted by itself."""
        return Hint.of(
            *(
                replace(part, arguments=tuple(given.replace(old, new, count) for given in part.arguments))
                if isinstance(part, Step)
                else part.replace(old, new, count)
                for part in self.parts
            )
        )

    def worded(self, step: Callable[[Step], str]) -> str:
        """The sentence with another wording of its steps."""
        return "".join(step(part) if isinstance(part, Step) else part for part in self.parts)


def parts_of(text: str) -> tuple[str | Step, ...]:
    """What a sentence is made of; one without steps is one part."""
    return text.parts if isinstance(text, Hint) else (text,)


class ArkError(Exception):
    """Anything expected that goes wrong: one sentence of what, one of what to do next."""

    exit_code = 1

    def __init__(self, what: str, hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint

    @property
    def told(self) -> str:
        """Both sentences; the steps in them are still steps."""
        return f"{self.what} " + self.hint if self.hint else self.what


class NotFound(ArkError):
    """No document, chunk or collection of that name."""


class Ambiguous(ArkError):
    """A short id or a name that fits several; the hint lists the candidates."""


class NoVector(ArkError):
    """A chunk or document that is known but has no vector (yet)."""


class Forbidden(ArkError):
    """What the token that somebody asks with is not for."""


class ModelUnavailable(ArkError):
    """An embedding model that cannot be loaded or reached."""


class UsageError(ArkError):
    """A request that cannot be carried out as it was put."""

    exit_code = 2


class KeyReused(UsageError):
    """An idempotency key that has been used for another request."""


class AlreadyDone(ArkError):
    """A call that is repeated by its key and was carried out before; its answer was not kept."""

    exit_code = 0

    def __init__(self) -> None:
        super().__init__("This was done before the connection broke.", "Look at it: the answer was not kept.")


class QuerySyntaxError(UsageError):
    """A query that cannot be read, with its `line`; `column` counts characters from 0."""

    def __init__(self, what: str, hint: str = "", *, column: int = 0, line: str = "") -> None:
        super().__init__(what, hint)
        self.line = line
        self.column = column


class ConfigError(ArkError):
    """A setting that cannot be used."""

    exit_code = 2


class StoreError(ArkError):
    """The store is missing, broken, of a newer version, read-only, or its disk is full."""

    exit_code = 3


class StoreLocked(StoreError):
    """Another process has held the store for longer than we wait."""


class IndexDamaged(StoreError):
    """An index that cannot be read; it is rebuilt from the store."""


class Busy(ArkError):
    """So much is under way already that nothing more is begun."""


class Cancelled(ArkError):
    """Somebody asked to stop."""

    exit_code = 130

    def __init__(self, what: str = "stopped", hint: str = "") -> None:
        super().__init__(what, hint)


class Paused(Cancelled):
    """Somebody asked to stop, and to go on later; `jobs`: the ids under which it rests."""

    jobs: tuple[str, ...] = ()
