"""Dates and periods: a document's own, and those that its text mentions (requirement I14).

Patterns are looked for around years only: 60 MB/s, where date libraries that search running text make
less than 0.1. Read are `2026-03-14`, `2026/3/14`, `2026-03`, `14 March 2026`, `March 14th, 2026`,
`Mar 2026`, `14. März 2026`, `Q1 2026`, `2026-Q1`, `2026年3月14日`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

from ark_tui.domain.documents import DateSource, LinkDraft, LinkOrigin

REACH = 24  # characters before a year in which its month may stand

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan januar jänner",
            "february feb februar",
            "march mar märz mrz",
            "april apr",
            "may mai",
            "june jun juni",
            "july jul juli",
            "august aug",
            "september sep sept",
            "october oct oktober okt",
            "november nov",
            "december dec dezember dez",
        ),
        start=1,
    )
    for name in names.split()
}
_NAME = "|".join(sorted(_MONTHS, key=len, reverse=True))
_YEAR = re.compile(r"(?<![\d.])(?:19|20)\d\d(?!\d)")
_AFTER = re.compile(
    r"(?P<s>[-/.])(?P<month>0?[1-9]|1[0-2])(?!\d)(?:(?P=s)(?P<day>[0-2]?\d|3[01])(?!\d))?"
    r"|[-/ ]?Q(?P<quarter>[1-4])\b"
    r"|年(?P<jmonth>0?[1-9]|1[0-2])月(?:(?P<jday>[0-2]?\d|3[01])日)?",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    rf"(?:\b(?:(?P<day>[0-2]?\d|3[01])(?:st|nd|rd|th|\.)?\s(?:of\s)?)?(?P<month>{_NAME})\b\.?"
    r"(?:\s(?P<day2>[0-2]?\d|3[01])(?:st|nd|rd|th)?)?,?\s"
    r"|\bQ(?P<quarter>[1-4])[ /-])\Z",
    re.IGNORECASE,
)
_COMPACT = re.compile(r"(?<!\d)((?:19|20)\d\d)(0[1-9]|1[0-2])([0-2]\d|3[01])(?!\d)")


class Period(NamedTuple):
    """A day, a month or a quarter that is named at `place` in a text."""

    place: int
    year: int
    month: int = 0  # 0: only the quarter is known
    day: int = 0  # 0: only the month is known
    quarter: int = 0

    @property
    def first_day(self) -> date:
        """The day itself, or the first of the month or quarter."""
        return date(self.year, self.month or 3 * self.quarter - 2, self.day or 1)

    @property
    def nodes(self) -> tuple[str, ...]:
        """The period nodes this lies in: `month:2026-03`, `quarter:2026-Q1`."""
        if not self.month:
            return (f"quarter:{self.year}-Q{self.quarter}",)
        return (f"month:{self.year}-{self.month:02}", f"quarter:{self.year}-Q{(self.month + 2) // 3}")


def periods(text: str, start: int = 0) -> Iterator[Period]:
    """Every day, month and quarter that is named in `text` from `start` on, in order."""
    for match in _YEAR.finditer(text, start):
        if found := _period(text, match.start(), int(match[0]), match.end()):
            yield found


def parse(text: str) -> date | None:
    """The first date in a short text, such as a front matter value; a bare year is its first day."""
    first = next(periods(text), None) or _compact(text)
    if first:
        return first.first_day
    year = _YEAR.fullmatch(text.strip())
    return date(int(year[0]), 1, 1) if year else None


def own_date(given: date | None, name: str, modified: date | None) -> tuple[date | None, DateSource]:
    """A document's date: from its front matter, else its file's name, else the file's last change."""
    if given:
        return given, "front matter"
    if named := parse_name(name):
        return named.first_day, "file name"
    return modified, "modified" if modified else "none"


def parse_name(name: str) -> Period | None:
    """The day or month in a file's name: `2026-03-14 plan.md`, `20260314.md`, `2026_03.md`."""
    return next(periods(name.replace("_", "-")), None) or _compact(name)


def occurred_in(body: str, start: int, name: str, given: date | None) -> tuple[LinkDraft, ...]:
    """Links to the months and quarters of a document's date and of those in its text, each once.

    The file's last change is no statement about the content and makes no link.
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


def _period(text: str, place: int, year: int, end: int) -> Period | None:
    match = _AFTER.match(text, end) or _BEFORE.search(text, max(0, place - REACH), place)
    if match is None:
        return None
    found = {name: value for name, value in match.groupdict().items() if value}
    if "quarter" in found:
        return Period(place, year, quarter=int(found["quarter"]))
    month = found.get("month") or found["jmonth"]
    day = int(found.get("day") or found.get("day2") or found.get("jday") or 0)
    number = _MONTHS.get(month.lower()) or int(month)
    return _valid(Period(match.start() if match.end() == place else place, year, number, day))


def _compact(text: str) -> Period | None:
    match = _COMPACT.search(text)
    return _valid(Period(match.start(), *map(int, match.groups()))) if match else None


def _valid(period: Period) -> Period | None:
    """The period, unless its day does not exist (30 February)."""
    try:
        period.first_day  # noqa: B018 - date() is the check
    except ValueError:
        return None
    return period
