"""Times that a query names: in its words (`last week`, `from 2004 to 2005`) and in `before:` and `after:`.

Absolute dates are read as ingest reads them; relative ones by the few patterns below. Date libraries were
tried and give a point in time without saying how wide it is, and take "sun and moon" for a day
(docs/decisions/0006-query-language.md).
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import partial
from typing import Literal, TypeVar

from ark_tui.domain import periods as named
from ark_tui.domain.periods import GRAINS, Grain, QueryPeriod, month_end, month_number
from ark_tui.index.words.terms import STOP_WORDS, words

__all__ = ["QueryPeriod", "day", "only", "periods", "without_relative", "without_times"]

T = TypeVar("T")
Unit = Literal["day", "week", "month", "quarter", "year"]

_UNITS: dict[str, Unit] = {
    **dict.fromkeys(("day", "days", "tag", "tagen", "tage"), "day"),
    **dict.fromkeys(("week", "weeks", "woche", "wochen"), "week"),
    **dict.fromkeys(("month", "months", "monat", "monate", "monaten"), "month"),
    **dict.fromkeys(("quarter", "quarters", "quartal", "quartale", "quartalen"), "quarter"),
    **dict.fromkeys(("year", "years", "jahr", "jahre", "jahren"), "year"),
}
_COUNTS = {
    word: number
    for number, words in enumerate(
        (
            "a an one ein eine einem einer",
            "two zwei couple",
            "three drei few",
            "four vier",
            "five fünf",
            "six sechs",
            "seven sieben",
            "eight acht",
            "nine neun",
            "ten zehn",
            "eleven elf",
            "twelve zwölf",
        ),
        start=1,
    )
    for word in words.split()
}
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}  # first month, northern
_DAYS_BACK = {
    **dict.fromkeys(("today", "this morning", "tonight", "heute"), 0),
    **dict.fromkeys(("yesterday", "last night", "gestern"), 1),
    **dict.fromkeys(("day before yesterday", "vorgestern"), 2),
}
_GRAIN_OF: dict[Unit, Grain] = {
    "day": "day", "week": "day", "month": "month", "quarter": "quarter", "year": "year",
}  # fmt: skip
_MONTHS_OF: dict[Unit, int] = {"month": 1, "quarter": 3, "year": 12}


def _one_of(words: dict[str, int] | dict[str, Unit] | tuple[str, ...]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


_UNIT = rf"(?P<unit>{_one_of(_UNITS)})"
_COUNT = rf"(?P<count>\d{{1,4}}|(?:a\s+)?(?:couple|few)(?:\s+of)?|{_one_of(_COUNTS)})"
_LAST = r"(?:last|past|previous|letzte[nrs]?|vorige[nrs]?|vergangene[nrs]?)"
_THIS = r"(?P<this>this|current|diese[nrms]?|aktuelle[nrs]?)"
_MONTH_NAMES = "january february march april may june july august september october november december"

# Years as a query may name them. Those before 1900 are mostly other numbers ("1024 bytes"), so they need a
# word before them that says otherwise, or a month.
_ANY_YEAR = re.compile(r"(?<![\d.])(?:1\d|20)\d\d(?!\d)")
_BARE_YEAR = re.compile(
    r"(?:(?P<sure>\b(?:in|of|from|to|since|until|till|by|during|between|and|before|after|around|year"
    r"|im|jahr|von|bis|seit|zwischen|und|vor|nach|um)\s+)|(?<![\w.,/#]))"
    r"(?P<year>(?:1\d|20)\d\d)(?P<decade>s)?(?![\w%]|[.,:]\d)",
    re.IGNORECASE,
)
_CERTAIN_FROM = 1900
NEAR = 40  # characters before a time in which its `between` has room
_TO = re.compile(r"\s*(?:to|until|till|through|thru|bis|-|–|—)\s*", re.IGNORECASE)
_AND = re.compile(r"\s+(?:and|und)\s+", re.IGNORECASE)
_BETWEEN = re.compile(r"\b(?:between|zwischen)\s+\Z", re.IGNORECASE)


def periods(text: str, now: datetime) -> tuple[QueryPeriod, ...]:
    """The times that a text names, in its order, each once; two that make a range are one."""
    today = now.date()
    found = _apart([*_absolute(text), *_relative(text, today)])
    merged: dict[tuple[date, date], QueryPeriod] = {}
    for span in _ranges(text, found):
        period = QueryPeriod(span.first, span.last, span.grain, text[span.start : span.end])
        merged.setdefault((span.first, span.last), period)
    return tuple(merged.values())


def without_relative(text: str, now: datetime) -> str:
    """A text with a blank for each time of several words that counts from today.

    No text of last week says "last week". A single word (`Yesterday`) may be meant as itself and stays.
    """
    for span in reversed(_apart(_relative(text, now.date()))):
        if " " in text[span.start : span.end].strip():
            text = f"{text[: span.start]} {text[span.end :]}"
    return text


def without_times(text: str, now: datetime) -> str:
    """A text with a blank for each time that it names."""
    for named_time in periods(text, now):
        text = text.replace(named_time.text, " ")
    return text


def only(text: str, now: datetime) -> bool:
    """Whether a text names a time and nothing else that says something."""
    rest = without_times(text, now)
    return rest != text and not set(words(rest)) - STOP_WORDS


def day(value: str, now: datetime) -> date | None:
    """The day at which the time of a `before:` or `after:` begins; None where it cannot be read.

    `3-days` and `2-months-ago` are counted from today to the day; all else begins with its first day.
    """
    text = re.sub(r"[-_\s]+", " ", value.strip())
    today = now.date()
    if match := _BACK.fullmatch(text):
        return _possible(lambda: _earlier(today, _UNITS[match["unit"].lower()], _count(match["count"])))
    if re.fullmatch(r"\d{4}", text):
        return _possible(lambda: date(int(text), 1, 1))
    for whole in (value.strip(), text):
        known = periods(whole, now)
        if len(known) == 1 and known[0].text == whole:
            return known[0].first
    return None


@dataclass(frozen=True, slots=True)
class _Span:
    start: int
    end: int
    first: date
    last: date
    grain: Grain


def _apart(spans: Iterable[_Span]) -> list[_Span]:
    """Spans that do not overlap, in their order: of those that do, the first and longest."""
    found: list[_Span] = []
    for span in sorted(spans, key=lambda one: (one.start, -one.end)):
        if not found or span.start >= found[-1].end:
            found.append(span)
    return found


def _absolute(text: str) -> Iterator[_Span]:
    taken: set[int] = set()
    for found in named.periods(text, years=_ANY_YEAR):
        taken.update(range(found.place, found.end))
        yield _Span(found.place, found.end, found.first_day, found.last_day, found.grain)
    for match in _BARE_YEAR.finditer(text):
        year, start = int(match["year"]), match.start("year")
        if start not in taken and (match["sure"] or year >= _CERTAIN_FROM):
            last = year + 9 if match["decade"] else year
            yield _Span(start, match.end(), date(year, 1, 1), date(last, 12, 31), "year")


def _ranges(text: str, spans: list[_Span]) -> Iterator[_Span]:
    """The spans, with `from A to B` and `between A and B` as one."""
    waiting: _Span | None = None
    for span in spans:
        if waiting is not None and _joined(text, waiting, span):
            grain = min(waiting.grain, span.grain, key=GRAINS.index)
            waiting = _Span(waiting.start, span.end, waiting.first, span.last, grain)
            continue
        if waiting is not None:
            yield waiting
        waiting = span
    if waiting is not None:
        yield waiting


def _joined(text: str, a: _Span, b: _Span) -> bool:
    if b.last < a.first:
        return False
    between = text[a.end : b.start]
    joined = _AND.fullmatch(between) and _BETWEEN.search(text, max(0, a.start - NEAR), a.start)
    return bool(_TO.fullmatch(between) or joined)


# -- relative --------------------------------------------------------------------------------------


def _relative(text: str, today: date) -> Iterator[_Span]:
    for pattern, read in _PATTERNS:
        for match in pattern.finditer(text):
            if read_as := _possible(partial(read, match, today)):
                yield _Span(match.start(), match.end(), *read_as)


_Read = Callable[[re.Match[str], date], tuple[date, date, Grain]]


def _read_day(match: re.Match[str], today: date) -> tuple[date, date, Grain]:
    there = today - timedelta(days=_DAYS_BACK[" ".join(match[0].lower().split())])
    return there, there, "day"


def _read_ago(match: re.Match[str], today: date) -> tuple[date, date, Grain]:
    unit = _UNITS[match["unit"].lower()]
    return _around(_earlier(today, unit, _count(match["count"])), unit)


def _read_rolling(match: re.Match[str], today: date) -> tuple[date, date, Grain]:
    unit = _UNITS[match["unit"].lower()]
    return _earlier(today, unit, _count(match["count"])), today, _GRAIN_OF[unit]


def _read_unit(match: re.Match[str], today: date) -> tuple[date, date, Grain]:
    unit = _UNITS[match["unit"].lower()]
    return _around(today if match["this"] else _earlier(today, unit, 1), unit)


def _read_weekday(match: re.Match[str], today: date) -> tuple[date, date, Grain]:
    back = (today.weekday() - _WEEKDAYS.index(match["weekday"].lower()) - 1) % 7 + 1
    there = today - timedelta(days=back)
    return there, there, "day"


def _read_month(match: re.Match[str], today: date) -> tuple[date, date, Grain]:
    month = month_number(match["month"]) or 1
    year = today.year if match["this"] or month < today.month else today.year - 1
    return date(year, month, 1), month_end(year, month), "month"


def _read_season(match: re.Match[str], today: date) -> tuple[date, date, Grain]:
    month = _SEASONS[match["season"].lower()]
    if match["year"]:
        return _season(int(match["year"]), month)
    years = (_season(year, month) for year in (today.year, today.year - 1, today.year - 2))
    return next(one for one in years if (one[0] <= today if match["this"] else one[1] < today))


def _season(year: int, month: int) -> tuple[date, date, Grain]:
    """Three months from a month on; winter reaches into the next year."""
    last = month_end(year + 1, 2) if month == 12 else month_end(year, month + 2)
    return date(year, month, 1), last, "quarter"


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{text})(?![\w])", re.IGNORECASE)


_BACK = re.compile(rf"{_COUNT} {_UNIT}(?: ago)?", re.IGNORECASE)
_PATTERNS: tuple[tuple[re.Pattern[str], _Read], ...] = (
    (_pattern("|".join(re.sub(" ", r"\\s+", word) for word in _DAYS_BACK)), _read_day),
    (_pattern(rf"{_COUNT}\s+{_UNIT}\s+ago"), _read_ago),
    (_pattern(rf"vor\s+{_COUNT}\s+{_UNIT}"), _read_ago),
    (_pattern(rf"{_LAST}\s+{_COUNT}\s+{_UNIT}"), _read_rolling),
    (_pattern(rf"(?:{_THIS}|{_LAST})\s+{_UNIT}"), _read_unit),
    (_pattern(rf"last\s+(?P<weekday>{'|'.join(_WEEKDAYS)})"), _read_weekday),
    (_pattern(rf"(?:last|{_THIS})\s+(?P<month>{'|'.join(_MONTH_NAMES.split())})"), _read_month),
    (_pattern(rf"(?:last|{_THIS})\s+(?P<season>{'|'.join(_SEASONS)})(?P<year>(?!))?"), _read_season),
    (
        _pattern(rf"(?P<this>(?!))?(?P<season>{'|'.join(_SEASONS)})\s+(?:of\s+)?(?P<year>(?:19|20)\d\d)"),
        _read_season,
    ),
)


def _count(text: str) -> int:
    word = re.sub(r"\A(?:a|an)\s+|\s+of\Z", "", text.lower().strip())
    return int(word) if word.isdigit() else _COUNTS[word]


def _around(there: date, unit: Unit) -> tuple[date, date, Grain]:
    """The whole day, week (from Monday), month, quarter or year that a day lies in."""
    if unit == "day":
        return there, there, "day"
    if unit == "week":
        monday = there - timedelta(days=there.weekday())
        return monday, monday + timedelta(days=6), "day"
    if unit == "year":
        return date(there.year, 1, 1), date(there.year, 12, 31), "year"
    first = there.month if unit == "month" else (there.month - 1) // 3 * 3 + 1
    last = first if unit == "month" else first + 2
    return date(there.year, first, 1), month_end(there.year, last), _GRAIN_OF[unit]


def _earlier(today: date, unit: Unit, count: int) -> date:
    """So many units before today; a day that the month does not have becomes its last."""
    if unit in ("day", "week"):
        return today - timedelta(days=count * (7 if unit == "week" else 1))
    months = today.year * 12 + today.month - 1 - count * _MONTHS_OF[unit]
    year, month = divmod(months, 12)
    if year < 1:
        raise ValueError(f"{count} {unit}s before {today}")
    return date(year, month + 1, min(today.day, monthrange(year, month + 1)[1]))


def _possible(read: Callable[[], T]) -> T | None:
    """What is read, or None where it lies outside of the calendar."""
    try:
        return read()
    except (ValueError, OverflowError):
        return None
