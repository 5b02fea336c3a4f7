"""How moments are written, and what was understood of a query."""

from __future__ import annotations

from datetime import date, datetime

from ark_tui.domain.hits import Understood


def moment(when: datetime) -> str:
    """A moment by the clock of this machine, to the minute."""
    return f"{when.astimezone():%Y-%m-%d %H:%M}"


def understood(one: Understood) -> str:
    """What words of a query were read as: `= 2026-11-09 … 2026-11-15`, `≠ trees`."""
    if one.kind == "exclusion":
        return f"≠ {', '.join(one.excluded)}"
    if one.first == one.last:
        return f"= {_day(one.first)}"
    return f"= {_day(one.first)}…{_day(one.last)}"


def _day(day: date | None) -> str:
    """A day; nothing where a time is open."""
    return day.isoformat() if day else ""
