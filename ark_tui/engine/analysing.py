"""Analyses of the corpus. Measures are kept in memory until the corpus changes."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import get_args

from ark_tui.domain.analysis import WHATS, Active, Activity, Analysis, Bucket, Dated, Graph, What
from ark_tui.domain.errors import UsageError
from ark_tui.domain.protocols import NEVER, OnProgress, Stop, check, ignore
from ark_tui.engine import auditing
from ark_tui.engine.measures import Measures
from ark_tui.engine.services import Services
from ark_tui.engine.survey import Survey
from ark_tui.store import Store, overview

LEAST, MOST = 0.1, 5.0  # resolution of communities


class Analysing:
    """Analyses of a home (`engine.analysis`)."""

    def __init__(self, parts: Services) -> None:
        self._parts = parts

    def run(
        self,
        what: Sequence[What] = WHATS,
        *,
        limit: int = 10,
        resolution: float = 1.0,
        stop: Stop = NEVER,
        progress: OnProgress = ignore,
    ) -> Analysis:
        """Compute measures, or return those that were computed of the current corpus before.

        `limit`: documents per list. `resolution`: of communities, 0.1–5; higher values give smaller ones.
        Raises `UsageError` for an unknown measure and `Cancelled` when stopped; finished measures are kept.
        """
        begun = time.monotonic()
        _checked(what, limit, resolution)
        check(stop)
        self._parts.look(stop)
        survey = Survey(self._parts, resolution=resolution, stop=stop, progress=progress)
        measures = Measures(survey, limit)
        made: dict[str, object] = {}
        for name in what:
            check(stop)
            if name == "activity":
                self._parts.journal.settle()
                made[name] = activity(self._parts.store)
            elif name == "audit":
                made[name] = auditing.audit(survey)
            else:
                made[name] = getattr(measures, name)()
        graph = measures.graph() if {*what} - {"activity", "audit", "novelty"} else Graph()
        return Analysis(
            survey.view.change if survey.view else self._parts.store.change(),
            survey.model, graph, took_s=time.monotonic() - begun,
            **made,  # type: ignore[arg-type]
        )  # fmt: skip


def _checked(what: Sequence[What], limit: int, resolution: float) -> None:
    if unknown := [name for name in what if name not in WHATS]:
        raise UsageError(f"There is no measure {unknown[0]}.", f"Measures: {', '.join(WHATS)}.")
    if limit < 1:
        raise UsageError(f"The limit {limit} is too small.", "Ask for at least one document: -n 10")
    check_resolution(resolution)


def check_resolution(resolution: float) -> None:
    """Check the resolution of communities. Raises `UsageError`."""
    if not LEAST <= resolution <= MOST:
        raise UsageError(
            f"The resolution {resolution:g} is out of range.", f"It must be between {LEAST:g} and {MOST:g}."
        )


DAYS = 62  # longest span shown by days
MONTHS = 62  # longest span shown by months


def activity(store: Store) -> Activity:
    """Activity by days, months or years, depending on the span."""
    with store.read() as lease:
        counts = [overview.per_day(lease, what) for what in get_args(overview.Happening)]
        own, undated = overview.per_own_date(lease)
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
    """The first days of all periods between two days."""
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
    """The first day of the period of a day."""
    if bucket == "day":
        return day
    return day.replace(day=1) if bucket == "month" else day.replace(month=1, day=1)


def _gathered(count: dict[date, int], bucket: Bucket) -> dict[date, int]:
    found: dict[date, int] = {}
    for day, number in count.items():
        start = _start(day, bucket)
        found[start] = found.get(start, 0) + number
    return found
