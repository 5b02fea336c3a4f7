"""Lists of any length, of which nobody ever holds more than a few pages."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from ark_tui.domain.memory import Conversation

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Page(Generic[Row]):
    """A part of a list: its rows from `offset` on; `total` counts those of all pages.

    `row` is the place of what was asked about; None where nothing was, or it is not in the list.
    """

    rows: tuple[Row, ...]
    total: int
    offset: int = 0
    row: int | None = None


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation as a list shows it: when something was said in it last, and how it begins."""

    conversation: Conversation
    latest: datetime
    beginning: str = ""
