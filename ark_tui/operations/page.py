"""Pages of lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")

WHOLE = 1_000_000
"""The limit that returns a whole list."""


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """A part of a list: `total` counts the whole list, `offset` the skipped items; `limit` 0 lists nothing.

    `notice`: a sentence on missing items, if any.
    """

    items: tuple[T, ...]
    total: int
    limit: int
    offset: int = 0
    notice: str = ""

    @property
    def more(self) -> int | None:
        """The offset of the next page; None at the end."""
        after = self.offset + len(self.items)
        return after if self.limit and after < self.total else None


def page(found: Sequence[T], limit: int, offset: int = 0) -> Page[T]:
    """Cut a page out of a complete list."""
    return Page(tuple(found[offset : offset + limit]), len(found), limit, offset)
