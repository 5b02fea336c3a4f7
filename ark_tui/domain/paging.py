"""Lists of any length, of which nobody ever holds more than a few pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

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
