"""Where the present comes from."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime


@dataclass(frozen=True, slots=True)
class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class FixedClock:
    """A clock that stands still, for reports that must come out the same (`ARK_NOW`)."""

    moment: datetime

    def now(self) -> datetime:
        return self.moment


def moment(text: str) -> datetime:
    """An ISO 8601 date or time, in UTC unless it says otherwise; raises `ValueError`."""
    read = datetime.fromisoformat(text.strip())
    return read.replace(tzinfo=UTC) if read.tzinfo is None else read.astimezone(UTC)
