"""Grammar rules for relative times: `yesterday`, `3 weeks ago`, `letzten Dienstag`, `the past ten days`."""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable
from datetime import date
from functools import partial

from ark_tui.domain.dates import days, words
from ark_tui.domain.dates.days import Days, Unit
from ark_tui.domain.dates.names import Found, Named, Names, Rule, fixed, month_or_day
from ark_tui.domain.dates.text import Grain, month_number


class Relative(Names, ABC):
    """The rules for times relative to today, in addition to those for names."""

    def __init__(self, text: str, today: date) -> None:
        super().__init__(text, today)
        self.relative: tuple[Rule, ...] = (
            self._fixed, self._ago, self._rolling, self._deictic, self._deictic_name, self._weekday,
            self._weekend,
        )  # fmt: skip

    def _fixed(self, at: int, depth: int) -> Found:  # noqa: ARG002
        """`yesterday`, `vorgestern`, `tonight`."""
        found = self.longest(words.FIXED, at)
        if found is None:
            return None
        return fixed(days.one(days.moved(self.today, "day", -found[0])), relative=True), found[1]

    def _ago(self, at: int, depth: int) -> Found:  # noqa: ARG002
        """`3 weeks ago`, `half a year ago`, `vor drei Tagen`: the whole week, month or other unit."""
        german = self.word(at) == "vor"
        count = self.count(at + german)
        if self.word(at + german) in {"half", "einem"} and self.word(at + german + 1) in {"a", "halben"}:
            unit: Unit | None = "half"
            after, count = at + german + 3, ((1, 1), 0)
            if words.UNITS.get(self.word(after - 1)) != "year":
                return None
        else:
            unit = words.UNITS.get(self.word(count[1])) if count else None
            after = count[1] + 1 if count else at
        if count is None or unit is None or not (german or self.word(after) in {"ago", "earlier", "back"}):
            return None
        whole: Unit = "month" if unit == "half" else unit
        first = days.around(days.moved(self.today, unit, -count[0][1]), whole)
        last = days.around(days.moved(self.today, unit, -count[0][0]), whole)
        return fixed(Days(first.first, last.last, first.grain), relative=True), after + (not german)

    def _rolling(self, at: int, depth: int) -> Found:  # noqa: ARG002
        """`the past two weeks`, `in den letzten drei Monaten`, `recent weeks`, `the next ten days`."""
        at = self.skipped(at)
        forward = self.word(at) in words.NEXT
        recent = self.word(at) in {"recent", "jüngsten"}
        if not (forward or recent or self.word(at) in words.LAST):
            return None
        count = self.count(at + 1)
        after = count[1] if count else at + 1
        unit = words.UNITS.get(self.word(after))
        if unit is None or (count is None and self.word(after) not in words.MANY):
            return None
        if self.word(after + 1) in words.OF or (count is None and self._german_singular(at, after)):
            return None
        there = days.moved(self.today, unit, (count[0][1] if count else 3) * (1 if forward else -1))
        first, last = min(there, self.today), max(there, self.today)
        return fixed(Days(first, last, grain(unit)), relative=True), after + 1

    def _german_singular(self, at: int, after: int) -> bool:
        """`letzten Tages` and the like: a genitive singular that looks like a plural."""
        return self.word(at).endswith("es") and self.word(after) == "tages"

    def _deictic(self, at: int, depth: int) -> Found:  # noqa: ARG002
        """`last week`, `this month`, `nächstes Jahr`, `vorletzte Woche`, `the week before last`."""
        at = self.skipped(at)
        if (unit := words.UNITS.get(self.word(at))) and self.words(at + 1, 2) == ("before", "last"):
            return self._units_off(unit, -2), at + 3
        part = self.word(at) in {"earlier", "later"}
        off = self.offset(at + part)
        unit = words.UNITS.get(self.word(at + part + 1))
        if off is None or unit is None or self.word(at + part + 1) in words.MANY - {"wochen", "jahren"}:
            return None
        if part and off == 0:
            whole = days.around(self.today, unit)
            whole = Days(whole.first, self.today, whole.grain) if self.word(at) == "earlier" else whole
            return fixed(whole, relative=True), at + 3
        return (self._units_off(unit, off), at + 2) if not part else None

    def _units_off(self, unit: Unit, off: int) -> Named:
        return fixed(days.around(days.moved(self.today, unit, off), unit), relative=True)

    def _deictic_name(self, at: int, depth: int) -> Found:  # noqa: ARG002
        """`last December`, `this summer`, `letzten Dienstag`, `next Friday`."""
        at = self.skipped(at)
        off = self.offset(at)
        if off is None:
            return None
        name = self.word(at + 1)
        if name in words.WEEKDAYS:
            return fixed(days.one(self._weekday_off(words.WEEKDAYS[name], off)), relative=True), at + 2
        if month := month_number(name):
            return fixed(self._one_off(partial(month_or_day, month, 0), off), relative=True), at + 2
        if season := words.SEASONS.get(name):
            start, count = season
            whole = self._one_off(partial(days.season, first=start, count=count), off)
            return fixed(whole, relative=True), at + 2
        return None

    def _one_off(self, in_year: Callable[[int], Days], off: int) -> Days:
        """An annual time: the latest that has ended, this year's, or the next one to start."""
        years = range(self.today.year + 1, self.today.year - 3, -1)
        if off > 0:
            return next(one for one in map(in_year, reversed(years)) if one.first > self.today)
        if off == 0 and in_year(self.today.year).last.year == self.today.year:
            return in_year(self.today.year)
        if off == 0:
            return days.latest(in_year, self.today)
        over = [one for one in map(in_year, years) if one.last < self.today]
        return over[-off - 1]

    def _weekday_off(self, weekday: int, off: int) -> date:
        if off == 0:
            return days.moved(self.today, "day", weekday - self.today.weekday())
        if off > 0:
            return days.moved(self.today, "day", (weekday - self.today.weekday() - 1) % days.WEEK + 1)
        back = (self.today.weekday() - weekday - 1) % days.WEEK + 1
        return days.moved(self.today, "day", -back - days.WEEK * (-off - 1))

    def _weekday(self, at: int, depth: int) -> Found:
        """`on Tuesday`, `Monday last week`, `Dienstag vergangener Woche`."""
        weekday = words.WEEKDAYS.get(self.word(at))
        if weekday is None or len(self.word(at)) <= 4 or self.word(at).endswith(("ays", "tags")):
            return None
        inside = self._deictic(self.skipped(at + 1 + (self.word(at + 1) in words.OF)), depth)
        whole = inside[0].in_year(0) if inside else None
        if inside and whole and (whole.last - whole.first).days == days.WEEK - 1:
            return fixed(days.weekday_in(whole, weekday), relative=True), inside[1]
        back = (self.today.weekday() - weekday) % days.WEEK
        return Named(
            lambda _: days.one(days.moved(self.today, "day", -back)), weak=True, relative=True
        ), at + 1

    def _weekend(self, at: int, depth: int) -> Found:  # noqa: ARG002
        """`over the weekend`: the latest one that has started."""
        at = self.skipped(at)
        if words.UNITS.get(self.word(at)) != "weekend":
            return None
        there = days.moved(self.today, "day", -((self.today.weekday() + 2) % days.WEEK))
        return Named(lambda _: days.around(there, "weekend"), weak=True, relative=True), at + 1


def grain(unit: Unit) -> Grain:
    """The precision of an expression that counts this unit."""
    if unit in {"month", "half"}:
        return "month"
    if unit == "quarter":
        return "quarter"
    return "year" if unit in {"year", "decade", "century"} else "day"
