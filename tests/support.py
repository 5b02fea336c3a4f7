"""The doubles: a clock that stands still unless it is moved."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class SteadyClock:
    """A clock that shows one moment until `pass_by` moves it."""

    def __init__(self, moment: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        self.moment = moment

    def now(self) -> datetime:
        return self.moment

    def pass_by(self, **time: float) -> None:
        self.moment += timedelta(**time)
