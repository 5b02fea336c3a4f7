"""A stretch of a list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")

WHOLE = 1_000_000
"""Rows of a list that is wanted whole."""


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Some of a list: `total` counts all of it, `offset` what was passed over; `limit` 0 lists nothing.

    `notice`: a sentence on what is missing in it, if anything is.
    """

    items: tuple[T, ...]
    total: int
    limit: int
    offset: int = 0
    notice: str = ""

    @property
    def more(self) -> int | None:
        """The offset to go on from; None at the end."""
        after = self.offset + len(self.items)
        return after if self.limit and after < self.total else None


def page(found: Sequence[T], limit: int, offset: int = 0) -> Page[T]:
    """A stretch of a list that is there as a whole."""
    return Page(tuple(found[offset : offset + limit]), len(found), limit, offset)
