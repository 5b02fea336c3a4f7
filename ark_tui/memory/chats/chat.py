"""A conversation of an export."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ark_tui.domain import transcripts
from ark_tui.domain.errors import UsageError
from ark_tui.domain.memory import Saying


@dataclass(frozen=True, slots=True)
class Chat:
    """A conversation as it comes in. `left_out`: entries that are no messages, or cannot be read."""

    id: str
    title: str
    messages: tuple[Saying, ...]
    left_out: int = 0


def chat(
    id_: str, title: object, entries: Iterable[Any], read: Callable[[Any], Mapping[str, Any] | None]
) -> Chat:
    """A conversation of entries; of each, `read` makes a message in the shape of transcripts, or None."""
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
    except (UsageError, AttributeError, KeyError, TypeError, ValueError):
        return None  # one entry of another shape is no reason to refuse the export
    return found if found and (found.content.strip() or found.given) else None
