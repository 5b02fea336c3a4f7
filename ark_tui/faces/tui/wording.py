"""How counts and moments are written."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


def counted(count: int, what: str) -> str:
    """`1 document`, `2,000 documents`."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def moment(when: datetime) -> str:
    """A moment by the clock of this machine, to the minute."""
    return f"{when.astimezone():%Y-%m-%d %H:%M}"
