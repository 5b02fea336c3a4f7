"""A conversation of an export."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from ark_tui.domain import transcripts
from ark_tui.domain.errors import UsageError
from ark_tui.domain.memory import Saying

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Chat:
    """A conversation of an export. `left_out`: the number of entries without a readable message.

    `problem`: why a conversation or file cannot be read; it has no messages then.
    """

    id: str
    title: str
    messages: tuple[Saying, ...]
    left_out: int = 0
    problem: str = ""


FAULTS = (AttributeError, IndexError, KeyError, TypeError, ValueError, RecursionError)
"""The errors that a reader raises for an entry of unexpected structure."""


def each(items: Iterable[tuple[str, T]], read: Callable[[T], Iterable[Chat]]) -> Iterator[Chat]:
    """The chats of each item. An unreadable item is reported by name, and the next one is read."""
    for name, item in items:
        try:
            yield from read(item)
        except FAULTS as error:
            yield Chat("", name, (), problem=f"{name} cannot be read: {type(error).__name__}, {error}")


def chat(
    id_: str, title: object, entries: Iterable[Any], read: Callable[[Any], Mapping[str, Any] | None]
) -> Chat:
    """A conversation from entries; `read` converts each into a message as in transcripts, or into None."""
    said, left_out = [], 0
    for entry in entries:
        message = _said(entry, read)
        if message is None:
            left_out += 1
        else:
            said.append(message)
    return Chat(" ".join(id_.split())[:200], " ".join(str(title or "").split())[:200], tuple(said), left_out)


def _said(entry: Any, read: Callable[[Any], Mapping[str, Any] | None]) -> Saying | None:
    try:
        raw = read(entry)
        found = transcripts.saying(raw) if raw else None
    except (*FAULTS, UsageError):
        return None  # an entry of unexpected structure does not reject the export
    return found if found and (found.content.strip() or found.given) else None
