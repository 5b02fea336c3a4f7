"""Moving with j k g G and their relatives, the same in every list and reader."""

from __future__ import annotations

from typing import Protocol


class Moves(Protocol):
    """What can be moved in: rows with a present one."""

    @property
    def row(self) -> int:
        """The row at hand, from 0."""
        ...

    @property
    def last_row(self) -> int:
        """The last row that can be moved to; -1 when there is none."""
        ...

    @property
    def page(self) -> int:
        """Rows in view."""
        ...

    def move_to(self, row: int) -> None:
        """Go to a row; rows beyond either end mean that end."""
        ...


class Movement:
    """The actions of the scope `move`, for whatever is a `Moves`."""

    def action_row_down(self: Moves) -> None:
        self.move_to(self.row + 1)

    def action_row_up(self: Moves) -> None:
        self.move_to(self.row - 1)

    def action_first(self: Moves) -> None:
        self.move_to(0)

    def action_last(self: Moves) -> None:
        self.move_to(self.last_row)

    def action_half_down(self: Moves) -> None:
        self.move_to(self.row + max(1, self.page // 2))

    def action_half_up(self: Moves) -> None:
        self.move_to(self.row - max(1, self.page // 2))

    def action_page_down(self: Moves) -> None:
        self.move_to(self.row + max(1, self.page - 1))

    def action_page_up(self: Moves) -> None:
        self.move_to(self.row - max(1, self.page - 1))
