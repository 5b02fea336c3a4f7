"""Pages of long lists."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from ark_tui.domain.memory import Conversation

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Page(Generic[Row]):
    """A page of a list: its rows from `offset` on; `total` counts all pages.

    `row`: the position of the requested item in the list; None if none was requested or found.
    """

    rows: tuple[Row, ...]
    total: int
    offset: int = 0
    row: int | None = None


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation in a list, with the time of its latest message and its first words."""

    conversation: Conversation
    latest: datetime
    beginning: str = ""
