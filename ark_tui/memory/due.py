"""When a task is due, in plain words: `tomorrow`, `next friday`, `in 3 days`, `friday 17:00`."""

from __future__ import annotations

import warnings
from datetime import UTC, date, datetime

from ark_tui.domain.errors import UsageError

NONE = ("none", "never", "")
EXAMPLES = "tomorrow, next friday, in 3 days, friday 17:00, 2026-02-03, none"
TIMED = ("time", "part_of_day")  # dateparser's periods that include a time of day


def read(words: str, now: datetime, *, local: bool = False) -> date | datetime | None:
    """The day or, where the words name one, the time in UTC; None for `none`. Raises `UsageError`.

    Words that name no zone are in UTC, or in that of this machine where they are `local`.
    """
    text = " ".join(words.split()).lower()
    now = now.astimezone(None if local else UTC)
    if text in NONE:
        return None
    if text == "today":
        return now.date()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings of dateparser's dependencies, of no use to a person
        from dateparser.date import DateDataParser

        settings = {
            "RELATIVE_BASE": now.replace(tzinfo=None), "PREFER_DATES_FROM": "future",
            "RETURN_TIME_AS_PERIOD": True, "TIMEZONE": "UTC",
        }  # fmt: skip
        found = DateDataParser(languages=["en"], settings=settings).get_date_data(text)
    moment: datetime | None = found.date_obj
    if moment is None:
        raise UsageError(f"{words[:60]!r} is no date.", f"Dates are written like {EXAMPLES}.")
    if found.period in TIMED:
        if moment.tzinfo is None and not local:
            moment = moment.replace(tzinfo=UTC)
        return moment.astimezone(UTC).replace(microsecond=0)  # without a zone it is local
    return moment.date()


def day(due: date | datetime) -> date:
    """The day on which something is due."""
    return due.date() if isinstance(due, datetime) else due
