"""Which files can be read from. Unlike `select.select`, whatever number a file's descriptor has."""

from __future__ import annotations

from collections.abc import Iterable
from selectors import EVENT_READ, DefaultSelector
from typing import Protocol, TypeVar


class HasFile(Protocol):
    """A pipe or a socket."""

    def fileno(self) -> int: ...


File = TypeVar("File", bound=HasFile)


def readable(files: Iterable[File], seconds: float | None) -> list[File]:
    """Those that have something to read, or have ended, by then; None waits for as long as it takes."""
    with DefaultSelector() as selector:
        known = {selector.register(file, EVENT_READ).fd: file for file in files}
        return [known[key.fd] for key, _ in selector.select(seconds)]
