"""Date ranges: calendar units, parts of them, and date arithmetic.

All functions raise `ValueError` or `OverflowError` for dates outside of the years 1 to 9999.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable
from contextlib import suppress
from datetime import date, timedelta
from typing import Literal, NamedTuple

from ark_tui.domain.dates.text import GRAINS, Grain, month_end

Unit = Literal["day", "week", "fortnight", "weekend", "month", "quarter", "half", "year", "decade", "century"]
Third = Literal["early", "mid", "late"]

WEEK = 7
LEAP = 9  # years in which every day of the year, including 29 February, occurs at least once
_LENGTHS: dict[Unit, int] = {"day": 1, "week": WEEK, "fortnight": 14, "weekend": WEEK}  # in days
_MONTHS: dict[Unit, int] = {
    "month": 1, "quarter": 3, "half": 6, "year": 12, "decade": 120, "century": 1200,
}  # fmt: skip
_FEW_MONTHS = (
    3  # split at month boundaries from this many months on, at year boundaries from this many years on
)


class Days(NamedTuple):
    """The days from `first` to `last`, inclusive; `grain`: the precision of the expression."""

    first: date
    last: date
    grain: Grain

    @property
    def months(self) -> int:
        """The number of months, if the range consists of whole months; else 0."""
        whole = (
            self.first.day == 1 and (self.last + timedelta(days=1)).day == 1 if self.last < date.max else True
        )
        return _number(self.last) - _number(self.first) + 1 if whole and self.first.day == 1 else 0


def one(day: date) -> Days:
    """A single day."""
    return Days(day, day, "day")


def months(year: int, month: int, count: int, grain: Grain) -> Days:
    """`count` months from `month` on; `month` may be outside of 1…12 (13: the next January)."""
    first, last = _month(year * 12 + month - 1), _month(year * 12 + month + count - 2)
    return Days(first, month_end(last.year, last.month), grain)


def years(first: int, last: int) -> Days:
    """Whole years."""
    return Days(date(first, 1, 1), date(last, 12, 31), "year")


def season(year: int, first: int, count: int) -> Days:
    """A season of `count` months from the month `first` on; winter extends into the next year."""
    return months(year, first, count, "quarter" if count == 3 else "month")


def century(number: int) -> Days:
    """A century; the 19th is from 1801 to 1900."""
    return years(number * 100 - 99, number * 100)


def iso_week(year: int, number: int) -> Days:
    """The ISO 8601 week with this number."""
    return Days(date.fromisocalendar(year, number, 1), date.fromisocalendar(year, number, WEEK), "day")


def around(day: date, unit: Unit) -> Days:
    """The whole unit that contains a day; weeks start on Monday, weekends are Saturday and Sunday."""
    if unit in _LENGTHS:
        return _few_days(day, unit)
    if unit in {"decade", "century"}:
        length = _MONTHS[unit] // 12
        start = (day.year - (unit == "century")) // length * length + (unit == "century")
        return years(start, start + length - 1)
    if unit == "year":
        return years(day.year, day.year)
    length = _MONTHS[unit]
    grain: Grain = "quarter" if unit == "quarter" else "month"
    return months(day.year, (day.month - 1) // length * length + 1, length, grain)


def _few_days(day: date, unit: Unit) -> Days:
    if unit == "day":
        return one(day)
    first = day - timedelta(days=day.weekday())
    last = first + timedelta(days=(WEEK if unit != "fortnight" else 2 * WEEK) - 1)
    return Days(last - timedelta(days=1) if unit == "weekend" else first, last, "day")


def moved(day: date, unit: Unit, count: int) -> date:
    """The day `count` units later, or earlier; clipped to the last day of the month."""
    if unit in _LENGTHS:
        return day + timedelta(days=count * _LENGTHS[unit])
    there = _month(_number(day) + count * _MONTHS[unit])
    return there.replace(day=min(day.day, monthrange(there.year, there.month)[1]))


def finest(*grains: Grain) -> Grain:
    """The finest of some precisions."""
    return min(grains, key=GRAINS.index)


def third(whole: Days, which: Third) -> Days:
    """The early, middle or late third, in whole years or months if possible; in a month, ten days."""
    at = ("early", "mid", "late").index(which)
    count = whole.months
    if count >= 12 * _FEW_MONTHS and count % 12 == 0:
        cuts = [
            -(-count // 12 * place // 3) * 12 for place in range(3)
        ]  # ten years are split into 4, 3 and 3
        return _cut_months(whole, [*cuts, count], at)
    if count >= _FEW_MONTHS:
        return _cut_months(whole, [count * place // 3 for place in range(4)], at)
    length = (whole.last - whole.first).days + 1
    cuts = [0, 10, 20, length] if count == 1 else [length * place // 3 for place in range(4)]
    return _cut_days(whole, cuts, at)


def half(whole: Days, which: int) -> Days:
    """The first (0) or second (1) half."""
    count = whole.months
    if count > 1 and count % 2 == 0:
        return _cut_months(whole, [0, count // 2, count], which)
    length = (whole.last - whole.first).days + 1
    return _cut_days(whole, [0, length // 2, length], which)


def nth(whole: Days, unit: Unit, start: int, count: int = 1) -> Days:
    """`count` units of a range, from index `start` on; negative indexes count from the end.

    Weeks are blocks of seven days, aligned to the start of the range (to its end for negative indexes).
    """
    if unit in _LENGTHS:
        length = _LENGTHS[unit]
        total = (whole.last - whole.first).days + 1
        at = start * length if start >= 0 else total + start * length
        found = _cut_days(whole, [at, min(at + count * length, total)], 0)
    else:
        length, total = _MONTHS[unit], whole.months
        at = start * length if start >= 0 else total + start * length
        found = _cut_months(whole, [at, min(at + count * length, total)], 0)
        found = found._replace(
            grain="year" if unit == "year" else "quarter" if unit == "quarter" else "month"
        )
    if not whole.first <= found.first <= found.last <= whole.last:
        raise ValueError(f"there is no {unit} {start} in {whole}")
    return found


def weekday_in(whole: Days, weekday: int, nth: int = 0) -> Days:
    """The nth occurrence (from 0; -1: the last) of a weekday (0: Monday) in a range."""
    first = whole.first + timedelta(days=(weekday - whole.first.weekday()) % WEEK)
    found = first + timedelta(days=WEEK * nth)
    if nth < 0:
        last = whole.last - timedelta(days=(whole.last.weekday() - weekday) % WEEK)
        found = last + timedelta(days=WEEK * (nth + 1))
    if not whole.first <= found <= whole.last:
        raise ValueError(f"there is no such weekday in {whole}")
    return one(found)


def latest(in_year: Callable[[int], Days], today: date) -> Days:
    """The latest range that has started, for an expression without a year.

    Years in which it does not exist (29 February) are skipped.
    """
    for year in range(today.year, today.year - LEAP, -1):
        with suppress(ValueError):
            if (found := in_year(year)).first <= today:
                return found
    raise ValueError("it has not started in any year")


def _cut_months(whole: Days, cuts: list[int], at: int) -> Days:
    grain: Grain = "year" if not (cuts[at] % 12 or cuts[at + 1] % 12) else "month"
    found = months(whole.first.year, whole.first.month + cuts[at], cuts[at + 1] - cuts[at], grain)
    return found._replace(grain=finest(grain, whole.grain))


def _cut_days(whole: Days, cuts: list[int], at: int) -> Days:
    start = whole.first + timedelta(days=cuts[at])
    end = whole.first + timedelta(days=max(cuts[at + 1] - 1, cuts[at]))
    return Days(start, end, "day")


def _number(day: date) -> int:
    """The number of months since year 0."""
    return day.year * 12 + day.month - 1


def _month(number: int) -> date:
    return date(number // 12, number % 12 + 1, 1)
