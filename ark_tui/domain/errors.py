"""Errors that a user can act on.

```
ArkError                  1  something failed; says what, and what to do next
├── NotFound              1  no such document, chunk or collection
├── Ambiguous             1  a short id or name that fits several
├── NoVector              1  a chunk or document that is known but has no vector (yet)
├── Forbidden             1  an operation that the token does not permit
├── ModelUnavailable      1  an embedding model that cannot be loaded or reached
├── UsageError            2  an invalid command or argument
│   ├── KeyReused         2  an idempotency key that was used for another request
│   └── QuerySyntaxError  2  a query that cannot be parsed; has the column
├── ConfigError           2  an invalid setting
├── StoreError            3  the store is missing, broken, too new, read-only or full
│   ├── StoreLocked       3  another process has locked the store for too long
│   └── IndexDamaged      3  an index that cannot be read; it is rebuilt from the store
├── AlreadyDone           0  a repeated call that had already run; its response was not stored
├── Busy                  1  too many operations are running
└── Cancelled           130  stopped by the user or by a newer search
    └── Paused          130  stopped, to be resumed later
```

The number is the exit code of the command line.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import SupportsIndex

FAULTS = "faults.log"
"""The file for tracebacks of bugs, in the log folder of a home."""

BUG = "Something unexpected went wrong; this is a bug."
BUG_HINT = f"What happened is written in logs/{FAULTS} of the home."

APART, WITHIN = frozenset(" \t\n\"'\\$`!*?[]{}()<>|&;"), frozenset('"\\$`!')
"""Characters with a special meaning in a shell, and those special within double quotes, too."""


@dataclass(frozen=True, slots=True)
class Step:
    """A suggested next operation or command; an empty `name` means the same one again.

    `arguments`: in parameter order. `options`: by command-line name, with `_` for `-`; True for a switch.
    """

    name: str = ""
    arguments: tuple[str, ...] = ()
    options: tuple[tuple[str, str | bool], ...] = ()

    @property
    def typed(self) -> str:
        """The command as typed in a terminal."""
        given = [_quoted(argument) for argument in self.arguments]
        for name, value in self.options:
            given += [f"--{name.replace('_', '-')}", *([_quoted(str(value))] if value is not True else [])]
        return " ".join((*(("ark-tui", self.name) if self.name else ()), *given))


def _quoted(word: str) -> str:
    """Quote a word for a shell. A leading `~` of a word without special characters still expands."""
    if word and word[0] != "#" and not APART & set(word):
        return word
    return "'" + word.replace("'", "'\\''") + "'" if WITHIN & set(word) else f'"{word}"'


class Hint(str):
    """A sentence with steps that each interface formats in its own way with `worded`.

    As a string, the steps are formatted for a terminal: `Hint.run("show", "#3fa9c1", say="See its links:
    {}.")`. `+` on either side keeps the steps; an f-string makes a plain string.
    """

    __slots__ = ("parts",)
    parts: tuple[str | Step, ...]

    @classmethod
    def of(cls, *parts: str | Step) -> Hint:
        """Build a hint from parts."""
        made = cls("".join(part.typed if isinstance(part, Step) else part for part in parts))
        made.parts = parts
        return made

    @classmethod
    def run(cls, name: str, *arguments: object, say: str = "{}", **options: str | bool) -> Hint:
        """Build a hint with one step: an operation with its arguments, inserted into `say` at `{}`."""
        given = tuple((option.rstrip("_"), value) for option, value in options.items())
        before, _, after = say.rpartition("{}")  # other braces are text
        return cls.of(before, Step(name, tuple(map(str, arguments)), given), after)

    @classmethod
    def give(cls, say: str = "{}", **options: str | bool) -> Hint:
        """Build a hint with other options for the same operation."""
        return cls.run("", say=say, **options)

    def __add__(self, after: str) -> Hint:
        return Hint.of(*self.parts, *parts_of(after))

    def __radd__(self, before: str) -> Hint:
        return Hint.of(*parts_of(before), *self.parts)

    def replace(self, old: str, new: str, count: SupportsIndex = -1, /) -> Hint:
        """`str.replace` in the text and in the steps' arguments; `count` applies to each separately."""
        return Hint.of(
            *(
                replace(part, arguments=tuple(given.replace(old, new, count) for given in part.arguments))
                if isinstance(part, Step)
                else part.replace(old, new, count)
                for part in self.parts
            )
        )

    def worded(self, step: Callable[[Step], str]) -> str:
        """The sentence with its steps formatted by `step`."""
        return "".join(step(part) if isinstance(part, Step) else part for part in self.parts)


def parts_of(text: str) -> tuple[str | Step, ...]:
    """The parts of a sentence; a plain string is one part."""
    return text.parts if isinstance(text, Hint) else (text,)


class ArkError(Exception):
    """An expected error: `what` failed, and a `hint` on what to do next, one sentence each."""

    exit_code = 1

    def __init__(self, what: str, hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint

    @property
    def told(self) -> str:
        """Both sentences, with their steps kept."""
        return f"{self.what} " + self.hint if self.hint else self.what


class NotFound(ArkError):
    """No document, chunk or collection has that name."""


class Ambiguous(ArkError):
    """A short id or a name that fits several; the hint lists the candidates."""


class NoVector(ArkError):
    """A chunk or document that is known but has no vector (yet)."""


class Forbidden(ArkError):
    """The token does not permit this."""


class ModelUnavailable(ArkError):
    """An embedding model that cannot be loaded or reached."""


class UsageError(ArkError):
    """An invalid request."""

    exit_code = 2


class KeyReused(UsageError):
    """An idempotency key that was used for another request."""


class AlreadyDone(ArkError):
    """A call that was repeated with its key after it had run; its response was not stored."""

    exit_code = 0

    def __init__(self) -> None:
        super().__init__("This was done before the connection broke.", "Look at it: the answer was not kept.")


class QuerySyntaxError(UsageError):
    """A query `line` that cannot be parsed; `column` counts characters from 0."""

    def __init__(self, what: str, hint: str = "", *, column: int = 0, line: str = "") -> None:
        super().__init__(what, hint)
        self.line = line
        self.column = column


class ConfigError(ArkError):
    """An invalid setting."""

    exit_code = 2


class StoreError(ArkError):
    """The store is missing, broken, of a newer version, read-only, or its disk is full."""

    exit_code = 3


class StoreLocked(StoreError):
    """Another process has locked the store for longer than the timeout."""


class IndexDamaged(StoreError):
    """An index that cannot be read; it is rebuilt from the store."""


class Busy(ArkError):
    """Too many operations are running to start another."""


class Cancelled(ArkError):
    """The operation was cancelled."""

    exit_code = 130

    def __init__(self, what: str = "stopped", hint: str = "") -> None:
        super().__init__(what, hint)


class Paused(Cancelled):
    """The operation was paused, to be resumed later; `jobs`: the ids of the paused jobs."""

    jobs: tuple[str, ...] = ()
