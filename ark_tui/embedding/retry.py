"""Failures of model servers: their messages, and which of them are retried.

```
ModelUnavailable          (domain.errors)
└── ServerFailure         a failed request to a server
    ├── Down              no server at the address, or the connection was lost
    ├── Busy              temporarily overloaded (429, 503)
    ├── Slow              no response within the timeout
    │   └── Late              the same for a request of several texts
    ├── NoModel           the server does not have the model
    ├── NoKey             the key is missing or was refused
    ├── TooLong           a text does not fit into the model's context
    ├── TooMany           too many texts in one request
    └── Wrong             an invalid response, or vectors of another model
```
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from ark_tui.domain.errors import Hint, ModelUnavailable
from ark_tui.domain.protocols import NEVER, Stop, check

T = TypeVar("T")

LOOK = 0.05  # seconds between checks of the stop token while waiting
QUOTED = 160  # characters of a server's message that are quoted


class ServerFailure(ModelUnavailable):
    """A failed request to a server. `pauses`: seconds before each retry."""

    pauses: Sequence[float] = ()

    @property
    def reason(self) -> str:
        """The failure in short, for the status."""
        return self.what.rstrip(".")


class Down(ServerFailure):
    """No server at the address, or the connection was lost."""

    pauses = (0.1, 0.4)


class Busy(ServerFailure):
    """The server is temporarily overloaded."""

    pauses = (0.2, 0.8, 3.0)


class Slow(ServerFailure):
    """No response within the timeout."""

    pauses: tuple[float, ...] = (0.5,)


class Late(Slow):
    """No response to a request of several texts within the timeout; retried with fewer texts."""

    pauses = ()


class NoModel(ServerFailure):
    """The server does not have the model."""


class NoKey(ServerFailure):
    """The key is missing or was refused."""


class TooLong(ServerFailure):
    """A text does not fit into the model's context."""


class TooMany(ServerFailure):
    """Too many texts in one request."""


class Wrong(ServerFailure):
    """An invalid response, or vectors of another model."""


def persistent(call: Callable[[], T], stop: Stop = NEVER) -> T:
    """Call, with retries after the pauses of each failure. Raises the last `ServerFailure`."""
    attempt = 0
    while True:
        check(stop)
        try:
            return call()
        except ServerFailure as failure:
            if attempt >= len(failure.pauses):
                raise
            _wait(failure.pauses[attempt], stop)
            attempt += 1


def of_status(who: str, model: str, status: int, said: str) -> ServerFailure:
    """The failure for an HTTP status; `said`: the server's message."""
    words = _quoted(said)
    if status in {401, 403}:  # its message may contain part of the key
        return NoKey(f"{who} refused the key.", "Set the key that docs/models.md names for it.")
    if status == 404:
        return _not_found(who, model, said)
    if status == 413 or (status in {400, 422, 500} and (_too_many(said) or _too_long(said))):
        return _too_much(who, model, said)
    if status in {429, 503}:
        return Busy(f"{who} is busy{words}.", "It is tried again at the next occasion.")
    if 300 <= status < 400:
        return Wrong(f"{who} points elsewhere ({status}).", "Name the address that it points to.")
    how = f" with {status}" if status > 0 else ""  # no status in the middle of a stream
    return Wrong(f"{who} failed{how}{words}.", "See the server's own log.")


def _not_found(who: str, model: str, said: str) -> ServerFailure:
    """A 404 means a missing model if the message says so, else a wrong address."""
    if model and ("model" in said.lower() or model in said):
        there = Hint.run("models", pull=model, say="Get it with `{}`.")
        hint = there if who == "Ollama" else "Name one that it has."
        return NoModel(f"{who} has no model {model}.", hint)
    return Wrong(f"{who} has not found what it was asked for (404).", "See whether its address is right.")


def _too_much(who: str, model: str, said: str) -> ServerFailure:
    if _too_many(said):
        return TooMany(f"{who} takes fewer texts at once.", "Fewer are tried.")
    return TooLong(f"{who} says that a text is too long for {model}.", "It is split and tried again.")


def _too_many(said: str) -> bool:
    text = said.lower()
    return any(mark in text for mark in ("allowed batch size", "array too long", "too many inputs"))


def _too_long(said: str) -> bool:
    text = said.lower()
    return any(
        mark in text
        for mark in ("context length", "too long", "must have less than", "maximum context", "too large")
    )


def _quoted(said: str) -> str:
    text = " ".join(said.split())
    return f": {text[:QUOTED].rstrip('.')}" if text else ""


def _wait(seconds: float, stop: Stop) -> None:
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        check(stop)
        time.sleep(min(LOOK, left))
