"""Times as terms: the years, months, quarters and days that a text names, and those of its own date.

A chunk of 14 March 2026 has `y2026`, `m2026-03` and `d2026-03-14`; one of Q1 2026 has `q2026-1`.
"""

from __future__ import annotations

import re
from datetime import date, timedelta

from ark_tui.domain import periods
from ark_tui.domain.periods import Grain

DAYS, MONTHS, YEARS = 62, 60, 400  # the most stamps of a kind that a time becomes

# What stands before a year is looked at last: the search for the first digit is the quicker part.
YEAR = re.compile(r"(1\d\d\d|20\d\d)(?<![\d.,]\d{4})(?![\d.,]\d|\d)")


def named(text: str) -> list[str]:
    """The years, quarters, months and days that a text names."""
    found = [f"y{year}" for year in YEAR.findall(text)]
    for period in periods.periods(text) if found else ():
        found += _finer(period)
    return list(dict.fromkeys(found))


def of_day(day: date) -> list[str]:
    """A day, with the month and the year it lies in."""
    return [f"y{day.year}", *_finer(periods.Period(0, day.year, day.month, day.day))]


def of_period(first: date, last: date, grain: Grain) -> list[str]:
    """What a text that is from within a time, or names it, has one of: stamps as fine as the time is named.

    Days where it is few, else months with the whole quarters among them, else years.
    """
    months = range(first.year * 12 + first.month - 1, last.year * 12 + last.month)
    if grain == "day" and (last - first).days < DAYS:
        return [f"d{first + timedelta(days=n):%Y-%m-%d}" for n in range((last - first).days + 1)]
    if grain != "year" and len(months) <= MONTHS:
        quarters = [f"q{m // 12}-{m % 12 // 3 + 1}" for m in months if m % 3 == 0 and m + 2 in months]
        return [*(f"m{m // 12:04}-{m % 12 + 1:02}" for m in months), *quarters]
    return [f"y{year}" for year in range(first.year, min(last.year, first.year + YEARS) + 1)]


def _finer(period: periods.Period) -> list[str]:
    """A period as stamps, without its year."""
    if not period.month:
        return [f"q{period.year}-{period.quarter}"]
    month = [f"m{period.year:04}-{period.month:02}"]
    return [*month, f"d{period.first_day:%Y-%m-%d}"] if period.day else month
