"""What has happened in a home, by pages: a hundred thousand searches are never in one list."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from ark_tui.domain.memory import Conversation

Row = TypeVar("Row")
Other = TypeVar("Other")


@dataclass(frozen=True, slots=True)
class Page(Generic[Row]):
    """A part of a list: its rows from `offset` on; `total` counts those of all pages."""

    rows: tuple[Row, ...]
    total: int
    offset: int = 0

    def of(self, make: Callable[[Row], Other]) -> Page[Other]:
        """The same part of a list of something else."""
        return Page(tuple(make(row) for row in self.rows), self.total, self.offset)


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation as a list shows it: when something was said in it last, and how it begins."""

    conversation: Conversation
    latest: datetime
    beginning: str = ""
