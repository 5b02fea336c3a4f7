"""Moments in the past as people write them: `2026-03-01`, `yesterday`, `last week`, `36 hours`, `7d`."""

from __future__ import annotations

import re
from datetime import UTC, datetime, time, timedelta

from ark_tui.domain.dates import query as when
from ark_tui.domain.errors import UsageError

_UNITS = {"m": 60, "min": 60, "minute": 60, "h": 3600, "hour": 3600, "d": 86400, "day": 86400, "w": 604800,
          "week": 604800}  # fmt: skip
_BACK = re.compile(
    rf"(?P<count>\d{{1,6}})[\s-]*(?P<unit>{'|'.join(sorted(_UNITS, key=len, reverse=True))})s?(?:[\s-]+ago)?",
    re.IGNORECASE,
)


def since(text: str, now: datetime) -> datetime:
    """The moment that a text names, in UTC; a day means its midnight. Raises `UsageError`."""
    given = text.strip()
    if match := _BACK.fullmatch(given):
        try:
            return now - timedelta(seconds=int(match["count"]) * _UNITS[match["unit"].lower()])
        except OverflowError:
            return datetime.min.replace(tzinfo=UTC)
    try:
        moment = datetime.fromisoformat(given)
    except ValueError:
        day = when.day(given, now)
        if day is None:
            raise UsageError(
                f"{text or 'Nothing'} names no time.",
                "Say 2026-03-01, 2026-03-01T12:00Z, yesterday, last week, 3 days ago or 36 hours.",
            ) from None
        moment = datetime.combine(day, time())
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
