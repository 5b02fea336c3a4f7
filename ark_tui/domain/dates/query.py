"""Times that a query names: in its words (`last week`, `from 2004 to 2005`) and in `before:` and `after:`.

They are read by a grammar of English and German (`ark_tui.domain.dates`). Date libraries were tried and
give a point in time without saying how wide it is, and take "sun and moon" for a day
(docs/decisions/0006-query-language.md).
"""

from __future__ import annotations

import re
from collections.abc import Container
from datetime import date, datetime

from ark_tui.domain.dates import days, grammar, names, tokens
from ark_tui.domain.dates.text import QueryPeriod
from ark_tui.domain.dates.words import UNITS

__all__ = ["QueryPeriod", "day", "days_of", "periods", "without_relative", "without_times"]

_BACK = re.compile(r"(?P<count>[\w ]+?) (?P<unit>[a-zäöü]+)(?: ago)?", re.IGNORECASE)


def periods(text: str, now: datetime, literally: Container[str] = ()) -> tuple[QueryPeriod, ...]:
    """The times that a text names, in its order, each once; two that make a range are one.

    `literally`: words that are meant as they stand, and name no time.
    """
    found: dict[tuple[date, date], QueryPeriod] = {}
    for span in grammar.read(text, now.date()):
        said = text[span.start : span.end]
        if said not in literally:
            ends = tuple((end.first, end.last, end.grain) for end in span.ends)
            one = QueryPeriod(*span.days, said, span.side, span.relative, ends, span.start)
            found.setdefault((one.first, one.last), one)
    return tuple(found.values())


def without_relative(text: str, now: datetime, literally: Container[str] = ()) -> str:
    """A text with a blank for each time of several words that counts from today.

    No text of last week says "last week". A single word (`Yesterday`) may be meant as itself and stays.
    """
    return _without(
        text, tuple(one for one in grammar.read(text, now.date()) if one.relative), literally, single=False
    )


def without_times(text: str, now: datetime, literally: Container[str] = ()) -> str:
    """A text with a blank for each time that it names."""
    return _without(text, grammar.read(text, now.date()), literally)


def day(value: str, now: datetime) -> date | None:
    """The first of the days of a time, see `days_of`."""
    found = days_of(value, now)
    return found[0] if found else None


def days_of(value: str, now: datetime) -> tuple[date, date] | None:
    """The first and the last day of a time as a filter has it; None where it cannot be read.

    `3-days` and `2-months-ago` are counted from today to the day.
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


def _without(
    text: str, spans: tuple[grammar.Span, ...], literally: Container[str], *, single: bool = True
) -> str:
    for span in reversed(spans):
        said = text[span.start : span.end]
        if said not in literally and (single or " " in said.strip()):
            text = f"{text[: span.start]} {text[span.end :]}"
    return text
