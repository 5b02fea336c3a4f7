"""Lists of any length, of which nobody ever holds more than a few pages."""

from __future__ import annotations

from typing import Generic, TypeVar

from ark_tui.domain.dataclass import dataclass

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
