"""Counts over time as a chart: by months or years, whatever there are few enough of, or as they come."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Literal

from ark_tui.domain.analysis import Activity, Bucket
from ark_tui.interfaces.reports.charts import Bars, Times, bars

FEW = 4  # columns that are better lying
DAYS = 60  # columns; of more, months are made
MONTHS = 60  # columns; of more, years are made

LENGTHS = {"day": 10, "month": 7, "year": 4}
"""Letters of a date that name its day, month or year."""

Days = Sequence[tuple[date, int]]
"""How many there were of something, by day or by the first day of a month, in order."""

What = Literal["added", "changed", "searches", "accesses"]


def chart(months: Days, colour: str = "time") -> Times | Bars:
    """Counts by month as columns, those without any among them; by year where months are too many."""
    if not months:
        return Times((), (), colour)
    first, last = months[0][0], months[-1][0]
    by_month = {(day.year, day.month): count for day, count in months}
    if (last.year - first.year) * 12 + last.month - first.month < MONTHS:
        every = [
            (at // 12, at % 12 + 1)
            for at in range(first.year * 12 + first.month - 1, last.year * 12 + last.month)
        ]
        return _drawn(
            [f"{year:04}-{month:02}" for year, month in every], [by_month.get(at, 0) for at in every], colour
        )
    years = range(first.year, last.year + 1)
    counts = [sum(count for (year, _), count in by_month.items() if year == at) for at in years]
    return _drawn([f"{year:04}" for year in years], counts, colour)


def by_day(days: Days, colour: str = "time") -> Times | Bars:
    """Counts by day as columns: by day where there are few enough of them, else as `chart` has them."""
    if not days:
        return Times((), (), colour)
    first, last = days[0][0], days[-1][0]
    if (last - first).days >= DAYS:
        months: dict[date, int] = {}
        for day, count in days:
            months[day.replace(day=1)] = months.get(day.replace(day=1), 0) + count
        return chart(tuple(months.items()), colour)
    counts = dict(days)
    every = [first + timedelta(days=number) for number in range((last - first).days + 1)]
    return _drawn([day.isoformat() for day in every], [counts.get(day, 0) for day in every], colour)


def dated(activity: Activity, colour: str = "time") -> Times | Bars:
    """Documents by the dates that they bear themselves."""
    names = [named(one.start, activity.dated_bucket) for one in activity.dated]
    return _drawn(names, [one.documents for one in activity.dated], colour)


def named(start: date, bucket: Bucket) -> str:
    """A day, month or year by its first day."""
    return start.isoformat()[: LENGTHS[bucket]]


def active(activity: Activity, what: What, colour: str = "time") -> Times | Bars:
    """One kind of what happened, in the periods it was counted in."""
    names = [named(period.start, activity.bucket) for period in activity.periods]
    return _drawn(names, [getattr(period, what) for period in activity.periods], colour)


def _drawn(names: Sequence[str], counts: Sequence[int], colour: str) -> Times | Bars:
    """Columns, or bars with their names when there are only a few."""
    if len(names) > FEW:
        return Times(tuple(names), tuple(counts), colour)
    return bars([(name, float(count)) for name, count in zip(names, counts, strict=True)], colour)
