"""How moments are written."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


def moment(when: datetime) -> str:
    """A moment by the clock of this machine, to the minute."""
    return f"{when.astimezone():%Y-%m-%d %H:%M}"
