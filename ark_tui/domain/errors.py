"""Errors a person can act on.

```
ArkError                  1  something failed; says what, and what to do next
├── NotFound              1  no such document, chunk or collection
├── Ambiguous             1  a short id or name that fits several
├── NoVector              1  a chunk or document that is known but has no vector (yet)
├── ModelUnavailable      1  an embedding model that cannot be loaded or reached
├── UsageError            2  a command or argument that cannot be carried out
│   ├── KeyReused         2  an idempotency key that has been used for another request
│   └── QuerySyntaxError  2  a query that cannot be read; knows the column
├── ConfigError           2  a setting that cannot be used
├── StoreError            3  the store is missing, broken, too new, read-only or full
│   ├── StoreLocked       3  another process has held the store for too long
│   └── IndexDamaged      3  an index that cannot be read; it is rebuilt from the store
├── Busy                  1  so much is under way already that nothing more is begun
└── Cancelled           130  the person, or a newer search, asked to stop
    └── Paused          130  likewise, to go on later
```

The number is the exit code of the command line.
"""

from __future__ import annotations

FAULTS = "faults.log"
"""The file, among the logs of a home, with the tracebacks of bugs."""

BUG = "Something unexpected went wrong; this is a bug."
BUG_HINT = f"What happened is written in logs/{FAULTS} of the home."


class Hint(str):
    """A next step that is an operation, which each interface words in its own terms.

    As a string it is worded for the command line: `Hint.run("show", "#3fa9c1", say="See its links: {}.")`.
    """

    __slots__ = ("arguments", "name", "say")
    name: str
    arguments: tuple[str, ...]
    say: str

    @classmethod
    def run(cls, name: str, *arguments: object, say: str = "{}") -> Hint:
        """An operation by its name, with what it is to be asked for, within a sentence."""
        words = tuple(map(str, arguments))
        made = cls(_within(say, " ".join(("ark-tui", name, *words))))
        made.name, made.arguments, made.say = name, words, say
        return made

    def worded(self, step: str) -> str:
        """The sentence with another wording of the step."""
        return _within(self.say, step)


def _within(sentence: str, step: str) -> str:
    before, _, after = sentence.rpartition("{}")  # whatever else there is in braces
    return before + step + after


class ArkError(Exception):
    """Anything expected that goes wrong: one sentence of what, one of what to do next."""

    exit_code = 1

    def __init__(self, what: str, hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint


class NotFound(ArkError):
    """No document, chunk or collection of that name."""


class Ambiguous(ArkError):
    """A short id or a name that fits several; the hint lists the candidates."""


class NoVector(ArkError):
    """A chunk or document that is known but has no vector (yet)."""


class ModelUnavailable(ArkError):
    """An embedding model that cannot be loaded or reached."""


class UsageError(ArkError):
    """A request that cannot be carried out as it was put."""

    exit_code = 2


class KeyReused(UsageError):
    """An idempotency key that has been used for another request."""


class QuerySyntaxError(UsageError):
    """A query that cannot be read; `column` counts characters from 0."""

    def __init__(self, what: str, hint: str = "", *, column: int = 0) -> None:
        super().__init__(what, hint)
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
    """Somebody asked to stop, and to go on later."""
