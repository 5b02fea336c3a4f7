"""Counts over time as a chart: by months or years, whatever there are few enough of, or as they come."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from ark_tui.faces.reports.charts import Bars, Times, bars

if TYPE_CHECKING:
    from ark_tui.domain.analysis import Active, Activity
    from ark_tui.domain.overview import Days

FEW = 4  # columns that are better lying
MONTHS = 60  # columns; of more, years are made

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


def active(activity: Activity, what: What, colour: str = "time") -> Times | Bars:
    """One kind of what happened, in the periods it was counted in."""
    length = {"day": 10, "month": 7, "year": 4}[activity.bucket]
    names = [one.start.isoformat()[:length] for one in activity.periods]
    return _drawn(names, [_count(one, what) for one in activity.periods], colour)


def _count(one: Active, what: What) -> int:
    match what:
        case "added":
            return one.added
        case "changed":
            return one.changed
        case "searches":
            return one.searches
        case "accesses":
            return one.accesses


def _drawn(names: Sequence[str], counts: Sequence[int], colour: str) -> Times | Bars:
    """Columns, or bars with their names when there are only a few."""
    if len(names) > FEW:
        return Times(tuple(names), tuple(counts), colour)
    return bars([(name, float(count)) for name, count in zip(names, counts, strict=True)], colour)
