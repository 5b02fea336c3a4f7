"""Ingest, searches and use over time."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

from ark_tui.domain.analysis import Active, Activity, Bucket, Dated
from ark_tui.store import Store, census

DAYS = 62  # the longest span that is told day by day
MONTHS = 62  # and month by month


def activity(store: Store) -> Activity:
    """What happened, in periods that fit the span: days, months or years."""
    with store.read() as lease:
        counts = [count(lease) for count in (census.added, census.changed, census.searched, census.used)]
        own, undated = census.dated(lease)
    days = sorted({day for count in counts for day in count})
    if not days:
        return Activity(notice="Nothing has happened yet.")
    bucket = _bucket(days[0], days[-1])
    per_period = [_gathered(count, bucket) for count in counts]
    periods = [
        Active(start, *(count.get(start, 0) for count in per_period))
        for start in _starts(days[0], days[-1], bucket)
    ]
    if not own:
        return Activity(bucket, tuple(periods), undated=undated)
    first, last = min(own), max(own)
    own_bucket = _bucket(first, last)
    by_period = _gathered(own, own_bucket)
    dated = [Dated(start, by_period.get(start, 0)) for start in _starts(first, last, own_bucket)]
    return Activity(bucket, tuple(periods), tuple(dated), own_bucket, undated)


def _starts(first: date, last: date, bucket: Bucket) -> Iterator[date]:
    """The first days of the periods from one day to another."""
    start = _start(first, bucket)
    while start <= last:
        yield start
        if start.year == date.max.year:
            return
        start = _start(start + timedelta(days={"day": 1, "month": 31, "year": 366}[bucket]), bucket)


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


def _gathered(count: dict[date, int], bucket: Bucket) -> dict[date, int]:
    found: dict[date, int] = {}
    for day, number in count.items():
        start = _start(day, bucket)
        found[start] = found.get(start, 0) + number
    return found
