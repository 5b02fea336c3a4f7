"""The grammar of time expressions.

```
times  = (range | sided | list) anywhere in a text
range  = ["from" | "between"] time ("to" | "-" | "until" | "and") time
sided  = ("before" | "after" | "since" | "until") time | "from" time "on"
list   = time (("," | "and" | "or") time)*
time   = part ["of"] time        early 2024, the second week of May, erste Hälfte 2023
       | name [year]             3 May, Q2 last year, Winter 2023/24, week 23, 19th century
       | relative                yesterday, 3 weeks ago, letzten Dienstag, the past ten days
       | count ("before" | "after") time
```

An incomplete end of a range or list is completed from the other: `from March to May 2025`, `3 to 9 May`.
A time without a year is the latest that has started. An ambiguous name (`may`, `spring`, `1066`) is a time
only after a word such as `in`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
from functools import lru_cache, partial
from typing import Literal, TypeAlias

from ark_tui.domain.dates import days, words
from ark_tui.domain.dates.days import Days, Unit
from ark_tui.domain.dates.names import Found, Named, Names, Rule, fixed, month_or_day, possible
from ark_tui.domain.dates.text import Grain, QueryPeriod, Side, month_number
from ark_tui.domain.dates.words import Phrases
from ark_tui.domain.query import ASKED

DEEPEST = 4  # maximum nesting of parts of a time


Spans: TypeAlias = tuple[list[QueryPeriod], int] | None  # with the index of the next token


@lru_cache(maxsize=64)
def read(text: str, today: date) -> tuple[QueryPeriod, ...]:
    """The time expressions of a text, in order, without overlaps; empty for text longer than `ASKED`."""
    return tuple(_joined(text, today)) if len(text) <= ASKED else ()


def _joined(text: str, today: date) -> Iterator[QueryPeriod]:
    """The time expressions, with `after A and before B` merged into one."""
    waiting: QueryPeriod | None = None
    for span in _Reader(text, today).spans():
        if waiting and (both := _between(text, waiting, span)):
            waiting = both
            continue
        if waiting:
            yield waiting
        waiting = span
    if waiting:
        yield waiting


def _between(text: str, a: QueryPeriod, b: QueryPeriod) -> QueryPeriod | None:
    """The intersection of `after 1990 and before 1995` or `since May until July`; else None."""
    sides = a.side in {"after", "since"} and b.side in {"before", "until"} and a.first <= b.last
    if not sides or text[a.end : b.place].strip(" ,").casefold() not in {"", "and", "but", "und", "aber"}:
        return None
    whole, said = days.finest(a.grain, b.grain), text[a.place : b.end]
    return QueryPeriod(a.first, b.last, whole, said, relative=a.relative and b.relative, place=a.place)


class _Reader(Names):
    """The parser for one text."""

    def __init__(self, text: str, today: date) -> None:
        super().__init__(text, today)
        self.known: dict[tuple[int, int], Found] = {}
        self.rules: tuple[Rule, ...] = (
            *self.names, self._fixed, self._ago, self._rolling, self._deictic, self._deictic_name,
            self._weekday, self._weekend,
        )  # fmt: skip

    # -- the whole text ----------------------------------------------------------------------------

    def spans(self) -> Iterator[QueryPeriod]:
        at = 0
        while at < len(self.tokens):
            found = possible(partial(self._sided, at)) or possible(partial(self._listed, at))
            yield from (spans := found[0] if found else [])
            at = found[1] if found and spans else at + 1

    def _sided(self, at: int) -> Spans:
        """`since April`, `before 2020`, `from May on`; not `vor drei Tagen`, which is a relative time."""
        if self.time(at) is not None:
            return None
        if self.word(at) in words.RANGE:
            return self._from(at)
        best = self.longest(words.SIDES, at)
        if best is None:
            return None
        side, after = best
        found = self._counted_since(after) if side == "since" else None
        found = found or self.time(self.skipped(after))
        if found is None or (side == "until" and self._joins(found[1], words.TO)):
            return None
        return self._spans(at, [found[0]], found[1], side=side)

    def _counted_since(self, at: int) -> Found:
        """`since three weeks`, `seit zwei Jahren`."""
        count = self.count(at)
        unit = words.UNITS.get(self.word(count[1])) if count else None
        if count is None or unit is None:
            return None
        start = days.moved(self.today, unit, -count[0][1])
        return fixed(Days(start, self.today, grain(unit)), relative=True), count[1] + 1

    def _from(self, at: int) -> Spans:
        """`from A to B`, `between A and B`, `from A on`."""
        first = self.time(self.skipped(at + 1)) or self.bare_day(self.skipped(at + 1))
        if first is None:
            return None
        joins = words.TO_OR_AND if self.word(at) in words.BETWEEN else words.TO
        if ranged := possible(partial(self._range, at, first, joins)):
            return ranged
        on = self.longest(words.ONWARDS, first[1])
        if on and first[0].lacks != "month":
            return self._spans(at, [first[0]], on[1], side="since")
        return None

    def _listed(self, at: int) -> Spans:
        """A single time, a range, or a list."""
        first = self.time(at) or self.bare_day(at)
        if first is None:
            return None
        if ranged := possible(partial(self._range, at, first, words.TO)):
            return ranged
        if first[0].lacks == "month":
            return None
        if self._is_weak(first[0], at, first[1]) and not self._partner(first[1]):
            return None
        return self._several(at, first)

    def _several(self, at: int, first: tuple[Named, int]) -> Spans:
        """A list such as `March and April 2025`; incomplete times are completed from their neighbors."""
        found, places, end = [first[0]], [(at, first[1])], first[1]
        while (sign := self.longest(words.AND, end)) and (more := self.time(self.skipped(sign[1]))):
            if more[0].relative or not (found[-1].lacks or more[0].lacks) or self._joins(more[1], words.TO):
                break
            places.append((self.skipped(sign[1]), more[1]))
            found.append(more[0])
            end = more[1]
        for place in range(len(found) - 2, -1, -1):
            found[place] = _completed(found[place], found[place + 1])
        for place in range(1, len(found)):
            found[place] = _completed(found[place], found[place - 1])
        spans = [
            span
            for one, (start, stop) in zip(found, places, strict=True)
            for span in (self._spans(start, [one], stop) or ([], 0))[0]
        ]
        return (spans, end) if spans else None

    def _joins(self, at: int, joins: Phrases[bool]) -> bool:
        sign = self.longest(joins, at)
        place = self.skipped(sign[1]) if sign else 0
        return bool(sign and (self.time(place) or self.bare_day(place)))

    def _partner(self, at: int) -> bool:
        """Whether an ambiguous time is followed by `and` and an unambiguous month."""
        sign = self.longest(words.AND, at)
        more = self.time(self.skipped(sign[1])) if sign else None
        return bool(more and not more[0].weak and more[0].month)

    def _range(self, at: int, first: tuple[Named, int], joins: Phrases[bool]) -> Spans:
        sign = self.longest(joins, first[1])
        place = self.skipped(sign[1]) if sign else 0
        second = (self.time(place) or self.bare_day(place)) if sign else None
        if second is None:
            return None
        a = _completed(first[0], second[0])
        b = _completed(second[0], a)
        sure = self._cued(at) or self.word(at) in words.RANGE or (a.month and b.month)
        if a.lacks and b.lacks and a.weak and b.weak and not sure:
            return None
        if a.lacks == b.lacks == "year":
            a = replace(a, year=days.latest(a.in_year, self.today).first.year, lacks="")
            b = replace(_completed(b, a), weak=True)
        if first[0].lacks and not second[0].lacks:
            a = _turned(a, a, b, -1)
        elif second[0].lacks:
            b = _turned(b, a, b, 1)
        return self._spans(at, [a, b], second[1])

    def _spans(self, at: int, named: list[Named], end: int, side: Side = "in") -> Spans:
        """The span of a time, or of a range of two."""
        ends = [possible(partial(one.days, self.today)) for one in named]
        known = [one for one in ends if one is not None]
        if len(known) != len(ends):
            return None
        whole = possible(partial(_spanned, known, side, self.today))
        if whole is None:
            return None
        start, stop = self.tokens[at].start, self.tokens[end - 1].end
        relative = all(one.relative for one in named)
        both = tuple(known) if len(known) > 1 else ()
        return [QueryPeriod(*whole, self.text[start:stop], side, relative, both, start)], end

    def _is_weak(self, named: Named, at: int, end: int) -> bool:
        if not named.weak or self._cued(at):
            return False
        last = end == len(self.tokens) and self.word(end - 1) not in words.ALSO_WORDS
        return not (last and named.month and not named.day and at)

    def _cued(self, at: int) -> bool:
        """Whether the preceding word indicates a time, ignoring articles."""
        before = at - 1
        while before >= 0 and self.word(before) in words.ARTICLES:
            before -= 1
        return before >= 0 and self.word(before) in words.CUES

    # -- one time ----------------------------------------------------------------------------------

    def time(self, at: int, depth: int = 0) -> Found:
        """The longest time that starts at a token."""
        key = (at, depth)
        if key not in self.known:
            self.known[key] = self._time(at, depth)
        return self.known[key]

    def _time(self, at: int, depth: int) -> Found:
        if depth > DEEPEST or at >= len(self.tokens):
            return None
        best: Found = None
        for rule in self.rules:
            found = possible(partial(rule, at, depth))
            if found and (best is None or found[1] > best[1]):
                best = found
        return best

    # -- relative times ----------------------------------------------------------------------------

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
        genitive = self.word(at).endswith("es") and self.word(after) == "tages"  # no plural
        if self.word(after + 1) in words.OF or (count is None and genitive):
            return None
        there = days.moved(self.today, unit, (count[0][1] if count else 3) * (1 if forward else -1))
        first, last = min(there, self.today), max(there, self.today)
        return fixed(Days(first, last, grain(unit)), relative=True), after + 1

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


def _completed(one: Named, other: Named) -> Named:
    """Complete a time with the missing month or year of its neighbor."""
    if one.lacks == "month" and other.month:
        day, month = one.day, other.month
        year = one.year or other.year
        lacks: Literal["", "year"] = "" if year else "year"
        return Named(partial(month_or_day, month, day), year=year, lacks=lacks, month=month, day=day)
    if one.lacks == "year" and other.year:
        return replace(one, year=other.year, lacks="")
    return one


def _turned(one: Named, a: Named, b: Named, by: int) -> Named:
    """Shift one end of a range by `by` years if the ends are in the wrong order."""
    wrong = b.in_year(b.year).last < a.in_year(a.year).first
    return replace(one, year=one.year + by) if wrong else one


def _spanned(ends: list[Days], side: Side, today: date) -> Days | None:
    """The days from the first to the last end, or on one side of a single time; None if empty."""
    first, last = ends[0].first, ends[-1].last
    grain = days.finest(*(end.grain for end in ends))
    if side == "before":
        return Days(date.min, days.moved(first, "day", -1), grain)
    if side == "until":
        return Days(date.min, last, grain)
    if side == "after":
        return Days(days.moved(last, "day", 1), date.max, grain)
    if side == "since":
        return Days(first, max(last, today), grain)
    return Days(first, last, grain) if first <= last else None


def grain(unit: Unit) -> Grain:
    """The precision of an expression that counts this unit."""
    if unit in {"month", "half"}:
        return "month"
    if unit == "quarter":
        return "quarter"
    return "year" if unit in {"year", "decade", "century"} else "day"
