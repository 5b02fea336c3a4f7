"""Ingest, searches and use over time."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

from ark_tui.domain.analysis import Active, Activity, Bucket
from ark_tui.store import census

if TYPE_CHECKING:
    from ark_tui.store import Store

DAYS = 62  # the longest span that is told day by day
MONTHS = 62  # and month by month


def activity(store: Store) -> Activity:
    """What happened, in periods that fit the span: days, months or years."""
    with store.read() as lease:
        added, changed, searches = census.added(lease), census.changed(lease), census.searched(lease)
    days = sorted({*added, *changed, *searches})
    if not days:
        return Activity(notice="Nothing has happened yet.")
    bucket = _bucket(days[0], days[-1])

    def counted(counts: dict[date, int]) -> dict[date, int]:
        found: dict[date, int] = {}
        for day, count in counts.items():
            start = _start(day, bucket)
            found[start] = found.get(start, 0) + count
        return found

    of_added, of_changed, of_searches = counted(added), counted(changed), counted(searches)
    periods, start = [], _start(days[0], bucket)
    while start <= days[-1]:
        periods.append(
            Active(start, of_added.get(start, 0), of_changed.get(start, 0), of_searches.get(start, 0))
        )
        start = _start(start + timedelta(days={"day": 1, "month": 31, "year": 366}[bucket]), bucket)
    return Activity(bucket, tuple(periods))


def _bucket(first: date, last: date) -> Bucket:
    if (last - first).days < DAYS:
        return "day"
    months = (last.year - first.year) * 12 + last.month - first.month
    return "month" if months < MONTHS else "year"


def _start(day: date, bucket: Bucket) -> date:
    """The first day of the period that a day lies in."""
    if bucket == "day":
        return day
    return day.replace(day=1) if bucket == "month" else day.replace(month=1, day=1)
