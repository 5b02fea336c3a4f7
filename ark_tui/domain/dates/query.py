"""Time expressions in queries (`last week`, `from 2004 to 2005`) and in `before:` and `after:`.

They are parsed with an English and German grammar (`ark_tui.domain.dates`). Existing date libraries return a
point in time without its precision, and parse "sun and moon" as a day
(docs/decisions/0006-query-language.md).
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from datetime import date, datetime

from ark_tui.domain.dates import days, grammar, names, tokens
from ark_tui.domain.dates.text import QueryPeriod
from ark_tui.domain.dates.words import UNITS

__all__ = ["QueryPeriod", "day", "days_of", "periods", "without_relative", "without_times"]

_BACK = re.compile(r"(?P<count>[\w ]+?) (?P<unit>[a-zäöü]+)(?: ago)?", re.IGNORECASE)


def periods(text: str, now: datetime, literally: Container[str] = ()) -> tuple[QueryPeriod, ...]:
    """The distinct times that a text names, in order; a range is one time.

    `literally`: expressions not to interpret as times.
    """
    found: dict[tuple[date, date], QueryPeriod] = {}
    for one in grammar.read(text, now.date()):
        if one.text not in literally:
            found.setdefault((one.first, one.last), one)
    return tuple(found.values())


def without_relative(text: str, now: datetime, literally: Container[str] = ()) -> str:
    """Replace each relative time of several words by a space.

    Documents from last week do not contain "last week". A single word (`Yesterday`) may be meant literally
    and stays.
    """
    found = [one for one in grammar.read(text, now.date()) if one.relative and " " in one.text.strip()]
    return _without(text, found, literally)


def without_times(text: str, now: datetime, literally: Container[str] = ()) -> str:
    """Replace each time expression of a text by a space."""
    return _without(text, grammar.read(text, now.date()), literally)


def day(value: str, now: datetime) -> date | None:
    """The first day of a time, see `days_of`."""
    found = days_of(value, now)
    return found[0] if found else None


def days_of(value: str, now: datetime) -> tuple[date, date] | None:
    """Parse the time of a filter to its first and last day; None if it is invalid.

    `3-days` and `2-months-ago` give an exact day, counted back from today.
    """
    text = re.sub(r"[-_\s]+", " ", value.strip())
    if re.fullmatch(r"\d{4}", text) and text > "0001":
        return names.possible(lambda: (date(int(text), 1, 1), date(int(text), 12, 31)))
    if match := _BACK.fullmatch(text):
        count, unit = tokens.counted(match["count"]), UNITS.get(match["unit"].lower())
        if count and unit:
            return names.possible(lambda: (days.moved(now.date(), unit, -count),) * 2)
    for whole in (value.strip(), text):
        known = periods(whole, now)
        if len(known) == 1 and known[0].text == whole and known[0].first > date.min:
            return known[0].first, known[0].last
    return None


def _without(text: str, found: Sequence[QueryPeriod], literally: Container[str]) -> str:
    for one in reversed(found):
        if one.text not in literally:
            text = f"{text[: one.place]} {text[one.end :]}"
    return text
