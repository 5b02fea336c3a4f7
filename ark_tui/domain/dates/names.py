"""Grammar rules for named times: parts of years, months and weeks, with or without a year.

A rule takes a token index and the nesting depth, and returns the named time and the index after it, or None.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from typing import Literal, TypeAlias, TypeVar

from ark_tui.domain.dates import days, words
from ark_tui.domain.dates import text as periods
from ark_tui.domain.dates.days import Days
from ark_tui.domain.dates.text import month_number
from ark_tui.domain.dates.tokens import Token, Tokens

T = TypeVar("T")

ANY_YEAR = re.compile(r"(?<![\d.])(?:1\d|20)\d\d(?!\d)")
CERTAIN_FROM = 1700  # a number from here to 2099 is a year without further context


@dataclass(frozen=True, slots=True)
class Named:
    """A possibly incomplete time; `in_year` returns its days once the missing part (`lacks`) is known."""

    in_year: Callable[[int], Days]
    year: int = 0
    lacks: Literal["", "year", "month"] = ""
    weak: bool = False  # ambiguous: a time only after a word such as `in`
    relative: bool = False
    month: int = 0  # to complete a day without a month: `3 to 9 May`
    day: int = 0

    def part(self, cut: Callable[[Days], Days]) -> Named:
        """A part of the time."""
        whole = self.in_year
        return replace(self, in_year=lambda year: cut(whole(year)), weak=False, day=0, month=0)

    def days(self, today: date) -> Days:
        """Its days. Raises `ValueError` if the month is missing or the day does not exist."""
        if self.lacks == "month":
            raise ValueError("a day without a month")
        return days.latest(self.in_year, today) if self.lacks else self.in_year(self.year)


Found: TypeAlias = tuple[Named, int] | None  # a time, and the index of the next token
Rule: TypeAlias = Callable[[int, int], Found]


def fixed(of: Days, *, relative: bool = False) -> Named:
    """A complete time."""
    return Named(lambda _: of, relative=relative)


def possible(read: Callable[[], T]) -> T | None:
    """Call a parser; return None if the result is outside of the calendar."""
    try:
        return read()
    except (ValueError, OverflowError):
        return None


class Names(Tokens, ABC):
    """The rules for named times."""

    def __init__(self, text: str, today: date) -> None:
        super().__init__(text, today)
        self.written = _written(text, self.tokens)
        self.names: tuple[Rule, ...] = (
            self._written_out, self._third, self._nth, self._half, self._shifted, self._day_month,
            self._quarter, self._season, self._week, self._century, self._decade, self._dotted,
            self._year_alone,
        )  # fmt: skip

    @abstractmethod
    def time(self, at: int, depth: int = 0) -> Found:
        """The longest time that starts at a token."""

    def _written_out(self, at: int, depth: int) -> Found:  # noqa: ARG002  (as all rules)
        """Formats that also occur in files: `2026-03-14`, `14 March 2026`, `2026-Q1`, `2026年3月`."""
        if at not in self.written:
            return None
        found, end = self.written[at]
        whole = Days(found.first_day, found.last_day, found.grain)
        return Named(lambda _: whole, year=found.year, month=found.month, day=found.day), end

    def _third(self, at: int, depth: int) -> Found:
        """`early March`, `mid-2024`, `Ende letzten Jahres`."""
        start = self._counted_third(self.skipped(at)) or self.longest(words.THIRDS, self.skipped(at))
        if start is None:
            return None
        which, after = start
        after += self.word(after) == "-"
        found = self._inside(after, depth)
        if found is None or (found[0].day and found[0].lacks):
            return None
        return found[0].part(lambda whole: days.third(whole, which)), found[1]

    def _counted_third(self, at: int) -> tuple[days.Third, int] | None:
        """`the last third of`, `im ersten Drittel`."""
        which = words.COUNTED_THIRDS.get(self.word(at))
        return (which, at + 2) if which and self.word(at + 1) in words.THIRD else None

    def _inside(self, at: int, depth: int) -> Found:
        """The whole that a part belongs to: `of 2024`, `im Mai`, `of the month`, `des Jahres`."""
        after = self.skipped(at + 1 if self.word(at) in words.OF else at)
        while self.word(after) in words.OF:
            after = self.skipped(after + 1)
        if year := self._year(after) if self.word(after) in {"jahres", "year"} else None:
            return fixed(days.years(year[0], year[0])), year[1]
        if after > at and (unit := words.UNITS.get(self.word(after))) in {"week", "month", "quarter", "year"}:
            assert unit is not None
            return fixed(days.around(self.today, unit), relative=True), after + 1
        return self.time(after, depth + 1)

    def _nth(self, at: int, depth: int) -> Found:
        """`second week of May`, `first three months of 2024`, `last Friday of March`."""
        at = self.skipped(at)
        order = self._order(at)
        if order is None:
            return None
        nth, after = order
        count = self.count(after) or ((1, 1), after)
        name = self.word(count[1])
        found = self._inside(count[1] + 1, depth)
        if found is None:
            return None
        if name in words.WEEKDAYS and self.word(count[1] + 1) in words.OF:
            weekday = words.WEEKDAYS[name]
            return found[0].part(lambda whole: days.weekday_in(whole, weekday, nth)), found[1]
        unit = words.UNITS.get(name)
        if unit is None or (after == count[1] and name in words.MANY):
            return None
        start = nth if nth >= 0 else nth - count[0][1] + 1
        return found[0].part(lambda whole: days.nth(whole, unit, start, count[0][1])), found[1]

    def _order(self, at: int) -> tuple[int, int] | None:
        """An ordinal as an index (from 0; -1: the last), and the index of the next token."""
        word = self.word(at)
        if word in words.ORDINALS:
            return words.ORDINALS[word] - 1, at + 1
        if word in words.FINAL:
            return -1, at + 1
        if number := self._numbered(at):
            return number[0] - 1, number[1]
        return None

    def _numbered(self, at: int) -> tuple[int, int] | None:
        """The number of `3rd` or `3.`, and the index of the next token."""
        number = self.number(at)
        if number and self.glued(at + 1) and self.word(at + 1) in {"st", "nd", "rd", "th", "."}:
            return number, at + 2
        return None

    def _half(self, at: int, depth: int) -> Found:
        """`first half of 2024`, `H1 2024`, `1. Halbjahr 2024`, `zweite Jahreshälfte 2023`."""
        at = self.skipped(at)
        if start := self._half_of(at):
            inside = self._inside(start[1], depth)
            if inside is None:
                return None
            return inside[0].part(lambda whole: days.half(whole, start[0])), inside[1]
        found = self._half_number(at)
        if found is None:
            return None
        number, after = found
        year = self._year(after)
        return self._yearly(
            lambda one: days.months(one, number * 6 + 1, 6, "month"), year, after, weak=year is None
        )

    def _half_of(self, at: int) -> tuple[int, int] | None:
        """Which half `first half` or `zweite Hälfte` is, and the index of the next token."""
        order = (1, at + 1) if self.word(at) == "latter" else self._order(at)
        half = order and order[0] in {0, 1} and self.word(order[1]) in {"half", "hälfte"}
        return (order[0], order[1] + 1) if order and half else None

    def _half_number(self, at: int) -> tuple[int, int] | None:
        """Which half of a year `H1` or `1. Halbjahr` is, and the index of the next token."""
        if self.word(at) == "h" and self.glued(at + 1) and (number := self.number(at + 1)) in {1, 2}:
            return number - 1, at + 2
        order = self._order(at)
        half = order and self.word(order[1]) in {"halbjahr", "halbjahres", "jahreshälfte"}
        return (order[0], order[1] + 1) if order and half and 0 <= order[0] < 2 else None

    def _shifted(self, at: int, depth: int) -> Found:
        """`two weeks before 1 May`, `the day after Q2`, `the week of 5 May`."""
        at = self.skipped(at)
        count = self.count(at) or ((1, 1), at)
        unit = words.UNITS.get(self.word(count[1]))
        if unit is None:
            return None
        how, after = self.word(count[1] + 1), self.skipped(count[1] + 2)
        found = self.time(after, depth + 1) if how in {"before", "after", "of", "vor", "nach"} else None
        if found is None or (how == "of" and (count[1] > at or not found[0].day)):
            return None
        sign = {"before": -1, "vor": -1, "of": 0}.get(how, 1)

        def there(whole: Days) -> Days:
            start = whole.first if sign <= 0 else whole.last
            return days.around(days.moved(start, unit, sign * count[0][1]), unit)

        return found[0].part(there), found[1]

    def _day_month(self, at: int, depth: int) -> Found:  # noqa: ARG002
        """`May`, `3 May`, `May 3rd`, `the 3rd of May`, `3. Mai`; each with a year or without."""
        at = self.skipped(at)
        day, after = self._day_number(at)
        day, after = (day, after) if day else self._day_in_words(at)
        if day:
            after = self.skipped(after + (self.word(after) == "of"))
        month = month_number(self.word(after)) or 0
        if not month:
            return None
        name, capital = self.word(after), self.tokens[after].capital
        sure = bool(day) and capital
        after += 1 + (self.word(after + 1) == "." and self.glued(after + 1) and len(name) <= 4)
        if not day:
            day, after = self._day_number(after)
            sure = bool(day) and (capital or name not in words.ALSO_WORDS)
        year = self._year(after)
        weak = not year and not sure and (bool(day) or name not in words.MONTHS_ALONE)
        if name == "may" and self.word(after) in words.BEHIND_MAY:
            return None
        found = self._yearly(partial(month_or_day, month, day), year, after, weak=weak)
        return replace(found[0], month=month, day=day), found[1]

    def _day_in_words(self, at: int) -> tuple[int, int]:
        """The day of `the first of May` and `am ersten Mai` (0: none), and the index of the next token."""
        number = words.ORDINALS.get(self.word(at), 0)
        of = self.word(at + 1) == "of" or self.word(at).endswith("en")
        named = month_number(self.word(at + 1 + (self.word(at + 1) == "of")))
        return (number, at + 1) if number and of and named else (0, at)

    def _day_number(self, at: int) -> tuple[int, int]:
        """The number of a day (0: none), and the index of the next token."""
        number, after = self._numbered(at) or (self.number(at), at + 1)
        glued_on = self.glued(after) and self.word(after) in {":", "%", "."} and self.number(after + 1)
        if not 1 <= number <= 31 or glued_on or (self.glued(after) and self.word(after).isalpha()):
            return 0, at
        return number, after

    def bare_day(self, at: int) -> Found:
        """A day without a month, which the other end of the range gives."""
        number, after = self._day_number(at)
        if not number:
            return None
        year = self._year(after) if self.word(after) == "," else None
        named = Named(lambda _: days.one(self.today), lacks="month", day=number, weak=True)
        return (replace(named, year=year[0]), year[1]) if year else (named, after)

    def _quarter(self, at: int, depth: int) -> Found:  # noqa: ARG002
        """`Q2`, `Q2 2024`, `third quarter of last year`, `3. Quartal 2023`."""
        at = self.skipped(at)
        number, after = self.number(at + 1), at + 2
        short = self.word(at) == "q" and self.glued(at + 1)
        if not short:
            order = self._order(at)
            if order is None or words.UNITS.get(self.word(order[1])) != "quarter":
                return None
            number, after = order[0] + 1, order[1] + 1
        if not 1 <= number <= 4:
            return None
        year = self._year(after)
        return self._yearly(
            lambda one: days.months(one, number * 3 - 2, 3, "quarter"),
            year, after, weak=year is None and not short,
        )  # fmt: skip

    def _season(self, at: int, depth: int) -> Found:  # noqa: ARG002
        """`summer 2021`, `Winter 2023/24`, `im Frühjahr`."""
        at = self.skipped(at)
        months = words.SEASONS.get(self.word(at))
        if months is None or self.word(at + 1) in words.BEHIND_SEASONS:
            return None
        year = self._year(at + 1)
        after = year[1] if year else at + 1
        joined = self.word(after) in {"/", "-", "–"} and self.glued(after) and self.glued(after + 1)
        if year and joined and self.number(after + 1) % 100 == (year[0] + 1) % 100:
            year = year[0], after + 2
        name = self.tokens[at].capital and self.word(at) in {"spring", "fall"}
        if year is None and name and self.word(at - 1) != "the":
            return None
        return self._yearly(
            partial(days.season, first=months[0], count=months[1]), year, after, weak=year is None
        )

    def _week(self, at: int, depth: int) -> Found:  # noqa: ARG002
        """`KW 23`, `week 23 of 2025`, `2025-W23`."""
        if (year := self.year_number(at)) and self.word(at + 1) == "-" and self.word(at + 2) == "w":
            return fixed(days.iso_week(year, self.number(at + 3))), at + 4
        start = self.longest(words.WEEK_NUMBER, at)
        number = self.number(start[1]) if start else 0
        if start is None or not 1 <= number <= 53:
            return None
        found = self._year(start[1] + 1)
        weak = not start[0] and found is None
        return self._yearly(lambda one: days.iso_week(one, number), found, start[1] + 1, weak=weak)

    def _century(self, at: int, depth: int) -> Found:  # noqa: ARG002
        """`19th century`, `18. Jahrhundert`."""
        at = self.skipped(at)
        order = self._order(at)
        if order is None or order[0] < 0:
            return None
        after = order[1] + (self.word(order[1]) == "-")
        if self.word(after) not in words.CENTURY:
            return None
        return fixed(days.century(order[0] + 1)), after + 1 + (
            self.word(after + 1) == "." and self.glued(after + 1)
        )

    def _decade(self, at: int, depth: int) -> Found:  # noqa: ARG002
        """`1990s`, `the 90s`, `90er Jahre`, `the nineties`; `1800s` is the whole century."""
        at = self.skipped(at)
        quoted = self.word(at) in {"'", "’", "‘"}
        number, after = self.number(at + quoted), at + quoted + 2
        announced = self.word(at - 1) in words.BEFORE_DECADES
        if number and self.glued(after - 1) and self.word(after - 1) in {"s", "er", "ern"}:
            years = self.word(after) in {"jahre", "jahren", "years"}
            return _decade_of(number, after + years, sure=quoted or announced or self.word(after - 1) != "s")
        if self.word(at) in words.DECADES and (announced or at == 0):
            first = words.DECADES[self.word(at)]
            return fixed(days.years(first, first + 9)), at + 1 + (self.word(at + 1) in {"jahre", "jahren"})
        return None

    def _dotted(self, at: int, depth: int) -> Found:  # noqa: ARG002
        """`3.5.2025`, `03.05.`, `5/3/2025`. With slashes, the month comes first unless it exceeds 12."""
        sign = self.word(at + 1)
        parts = [self.number(at), self.number(at + 2), self.number(at + 4)]
        whole = self.word(at + 3) == sign and all(self.glued(at + place) for place in (1, 2, 3))
        if sign not in {".", "/"} or not whole or self.glued(at):
            return None
        dated = self.glued(at + 4) and parts[2] > 0
        if dated and (len(self.word(at + 4)) not in {2, 4} or self._goes_on(at + 5)):
            return None  # a version, an IP address, a section number
        if not dated and sign == "/":
            return None
        day, month = parts[:2] if sign == "." or parts[0] > 12 else (parts[1], parts[0])
        date(2024, month, day)  # raises `ValueError` if there is no such day
        year = (_full(parts[2]), at + 5) if dated else self._year(at + 4)
        found = self._yearly(partial(month_or_day, month, day), year, at + 4, weak=year is None)
        return replace(found[0], month=month, day=day), found[1]

    def _goes_on(self, at: int) -> bool:
        """Whether a number continues without a space: `.1`, `-rc`, a letter."""
        sign = self.word(at) if self.glued(at) else ""
        return bool(sign) and (
            sign[0].isalnum() or (sign in {".", "-", "/", "_", ":"} and self.glued(at + 1))
        )

    def _year_alone(self, at: int, depth: int) -> Found:  # noqa: ARG002
        """`2024`, `2024/25`."""
        year = self.year_number(at)
        if not year:
            return None
        if self.word(at + 1) == "/" and self.glued(at + 2) and self.word(at + 2) == f"{(year + 1) % 100:02}":
            return Named(lambda _: days.years(year, year + 1), year=year), at + 3
        return Named(lambda _: days.years(year, year), year=year, weak=year < CERTAIN_FROM), at + 1

    def _year(self, at: int) -> tuple[int, int] | None:
        """A year after a name: `2024`, `, 2024`, `of 2024`, `'24`, `last year`, `des letzten Jahres`."""
        after = at + (self.word(at) in {",", "-", "/"} and bool(self.year_number(at + 1)))
        if self.word(after) in {"'", "’", "‘"} and self.glued(after + 1) and 0 < self.number(after + 1) < 100:
            return _full(self.number(after + 1)), after + 2
        while self.word(after) in words.OF | words.ARTICLES:
            after += 1
        after += self.word(after) in {"jahr", "jahre", "jahres", "year"}
        if number := self.year_number(after):
            return number, after + 1
        off = self.offset(after)
        if off is not None and words.UNITS.get(self.word(after + 1)) == "year":
            return self.today.year + off, after + 2
        german = self.word(after) == "vor"
        count = self.count(after + german)
        if count and words.UNITS.get(self.word(count[1])) == "year" and count[0][0] == count[0][1]:
            end = count[1] + 1 + (not german)
            return (self.today.year - count[0][1], end) if german or self.word(end - 1) == "ago" else None
        return None

    def _yearly(
        self, in_year: Callable[[int], Days], year: tuple[int, int] | None, after: int, *, weak: bool
    ) -> tuple[Named, int]:
        """An annual time, in the given year, if any."""
        if year is None:
            return Named(in_year, lacks="year", weak=weak), after
        return Named(in_year, year=year[0]), year[1]


def _written(text: str, tokens: list[Token]) -> dict[int, tuple[periods.Period, int]]:
    """Times in the formats of files, by the index of their first token, with the index after them."""
    starts = {token.start: place for place, token in enumerate(tokens)}
    ends = {token.end: place + 1 for place, token in enumerate(tokens)}
    return {
        starts[period.place]: (period, ends[period.end])
        for period in periods.periods(text, years=ANY_YEAR)
        if period.place in starts and period.end in ends
    }


def month_or_day(month: int, day: int, year: int) -> Days:
    """A month of a year, or a day of it."""
    return days.one(date(year, month, day)) if day else days.months(year, month, 1, "month")


def _decade_of(number: int, after: int, *, sure: bool) -> Found:
    if 1000 <= number < 1900 and number % 100 == 0:
        return fixed(days.years(number, number + 99)), after
    if 1000 <= number < 2100 and number % 10 == 0:
        return fixed(days.years(number, number + 9)), after
    if number in range(20, 100, 10) and sure:
        return fixed(days.years(1900 + number, 1909 + number)), after
    return None


def _full(number: int) -> int:
    """Expand a two-digit year: 00…69 to 20xx, 70…99 to 19xx."""
    if number >= 100:
        return number
    return number + (2000 if number < 70 else 1900)
