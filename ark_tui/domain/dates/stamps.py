"""Times as index terms (stamps): the times that a text mentions, and the document's own date.

A chunk that mentions 14 March 2026 has `y2026`, `m2026-03` and `d2026-03-14`; one that mentions Q1 2026 has
`y2026` and `q2026-1`. A month or year mentioned as a whole also has a capitalized term: `March 2026` has
`M2026-03`, and `2026` alone has `Y2026`. A range of years (`1991–1995`) includes the years between. Terms of
a document's own date have the prefix `w`, since the date of writing differs from the times written about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta

from ark_tui.domain.dates import text as reading
from ark_tui.domain.dates.text import Period, bare_year, compact, periods
from ark_tui.domain.documents import DateSource, LinkDraft, LinkOrigin

LONGEST = 60  # maximum length of a range of years
FIRST, LAST = date(1000, 1, 1), date(2099, 12, 31)  # the supported years
WRITTEN = "w"

# The lookbehinds come last because searching for the first digit is faster.
YEAR = re.compile(r"(1\d\d\d|20\d\d)(?<![\d.,]\d{4})(?<![A-Z]-\d{4})(?<![A-Z]-\d{4}-\d{4})(?![\d.,]\d|\d)")
_RANGE = re.compile(rf"{YEAR.pattern} ?(?:–|-|—|to|until|till|bis|and|und) ?{YEAR.pattern}")


def named(text: str) -> list[str]:
    """The stamps of the years, quarters, months and days that a text mentions."""
    if not YEAR.search(text):
        return []
    years = {match.start(): match[0] for match in YEAR.finditer(text)}
    found, several = [f"y{year}" for year in years.values()], len(years) > 1
    for period in reading.periods(text):
        years = {place: year for place, year in years.items() if not period.place <= place < period.end}
        found += _finer(period)
    found += [f"Y{year}" for year in years.values()]
    for match in _RANGE.finditer(text) if several else ():
        first, last = int(match[1]), int(match[2])
        if 1 < last - first <= LONGEST:
            found += [f"{kind}{year}" for year in range(first + 1, last) for kind in "yY"]
    return list(dict.fromkeys(found))


def places(text: str) -> list[tuple[int, int]]:
    """The character ranges of the times in a text, in order, with overlaps merged."""
    found = [(period.place, period.end) for period in reading.periods(text)]
    found += [match.span() for pattern in (_RANGE, YEAR) for match in pattern.finditer(text)]
    found.sort(key=lambda span: (span[0], -span[1]))
    kept: list[tuple[int, int]] = []
    for start, end in found:
        if not kept or start >= kept[-1][1]:
            kept.append((start, end))
        elif end > kept[-1][1]:
            kept[-1] = (kept[-1][0], end)
    return kept


def of_day(day: date) -> list[str]:
    """The stamps of a document's own date."""
    return written([f"y{day.year}", *_finer(reading.Period(0, day.year, day.month, day.day))])


def within(first: date, last: date) -> list[str]:
    """The stamps of times within a range; a text that mentions such a time has at least one of them.

    These are whole years; in other years, whole months and quarters; in other months, days.
    """
    found: list[str] = []
    for year in _years(first, last):
        start, end = max(first, date(year, 1, 1)), min(last, date(year, 12, 31))
        if (start.month, start.day, end.month, end.day) == (1, 1, 12, 31):
            found.append(f"y{year}")
            continue
        for month in range(start.month, end.month + 1):
            found += _of_month(year, month, start, end)
        whole = (q for q in range(1, 5) if start <= _quarter(year, q)[0] and _quarter(year, q)[1] <= end)
        found += [f"q{year}-{quarter}" for quarter in whole]
    return found


def longer(first: date, last: date) -> tuple[list[str], list[str]]:
    """The stamps of longer times that overlap a range without being within it.

    First those of the next longer unit (month for days; quarter and year for months), then the others.
    """
    months: list[str] = []
    beyond: list[str] = []
    for year in _years(first, last):
        start, end = max(first, date(year, 1, 1)), min(last, date(year, 12, 31))
        if (start.month, start.day, end.month, end.day) == (1, 1, 12, 31):
            continue
        beyond.append(f"Y{year}")
        months += [
            f"M{year:04}-{month:02}"
            for month in sorted({start.month, end.month})
            if start > date(year, month, 1) or end < reading.month_end(year, month)
        ]
        beyond += [
            f"q{year}-{quarter}"
            for quarter in sorted({(start.month + 2) // 3, (end.month + 2) // 3})
            if start > _quarter(year, quarter)[0] or end < _quarter(year, quarter)[1]
        ]
    return (months, beyond) if months else (beyond, [])


def written(stamps: Sequence[str]) -> list[str]:
    """The same stamps for a document's own date."""
    return [f"{WRITTEN}{stamp}" for stamp in stamps]


def _years(first: date, last: date) -> range:
    return range(max(first, FIRST).year, min(last, LAST).year + 1)


def _of_month(year: int, month: int, start: date, end: date) -> Iterator[str]:
    """The stamp of a month that is wholly in a range, or the stamps of its days in the range."""
    first, last = date(year, month, 1), reading.month_end(year, month)
    if first >= start and last <= end:
        yield f"m{year:04}-{month:02}"
        return
    first, last = max(first, start), min(last, end)
    for n in range((last - first).days + 1):
        yield f"d{first + timedelta(days=n):%Y-%m-%d}"


def _quarter(year: int, quarter: int) -> tuple[date, date]:
    return date(year, 3 * quarter - 2, 1), reading.month_end(year, 3 * quarter)


def _finer(period: reading.Period) -> list[str]:
    """The stamps of a period, without that of its year."""
    if not period.month:
        return [f"q{period.year}-{period.quarter}"]
    month = f"m{period.year:04}-{period.month:02}"
    if not period.day:
        return [month, month.upper()]
    return [month, f"d{period.first_day:%Y-%m-%d}"]


def parse(text: str) -> date | None:
    """The first date in a short text, such as a front matter value; for a bare year, its first day."""
    first = next(periods(text), None) or compact(text)
    if first:
        return first.first_day
    year = bare_year(text)
    return date(year, 1, 1) if year else None


def only_one(text: str) -> bool:
    """Whether a text consists of one date, like a heading of a daily note."""
    first = next(periods(text), None)
    return first is not None and not first.place and first.end == len(text)


def own_date(given: date | None, name: str, modified: date | None) -> tuple[date | None, DateSource]:
    """A document's date and its source: front matter, else file name, else modification time."""
    if given:
        return given, "front matter"
    if named := parse_name(name):
        return named.first_day, "file name"
    return modified, "modified" if modified else "none"


def parse_name(name: str) -> Period | None:
    """The day or month in a file's name: `2026-03-14 plan.md`, `20260314.md`, `2026_03.md`."""
    return next(periods(name.replace("_", "-")), None) or compact(name)


def occurred_in(body: str, start: int, name: str, given: date | None) -> tuple[LinkDraft, ...]:
    """Links to the months and quarters of a document's date and of the dates in its text, each once.

    The file's modification time is ignored, since it says nothing about the content.
    """
    links: dict[str, LinkDraft] = {}

    def add(period: Period, line: int, origin: LinkOrigin) -> None:
        for node in period.nodes:
            links.setdefault(node, LinkDraft("occurred_in", node, line, origin))

    if given:
        add(Period(0, given.year, given.month, given.day), 0, "front matter")
    if named := parse_name(name):
        add(named, 0, "text")
    line, seen = 1, 0
    for period in periods(body, start):
        if period.nodes[0] not in links:
            line += body.count("\n", seen, period.place)
            seen = period.place
            add(period, line, "text")
    return tuple(links.values())
