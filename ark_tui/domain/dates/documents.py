"""Dates of documents: their own, and those that their text mentions (requirement I14)."""

from __future__ import annotations

from datetime import date

from ark_tui.domain.dates.text import Period, bare_year, compact, periods
from ark_tui.domain.documents import DateSource, LinkDraft, LinkOrigin


def parse(text: str) -> date | None:
    """The first date in a short text, such as a front matter value; a bare year is its first day."""
    first = next(periods(text), None) or compact(text)
    if first:
        return first.first_day
    year = bare_year(text)
    return date(year, 1, 1) if year else None


def only_one(text: str) -> bool:
    """Whether a text is a date and nothing else, as headings of daily notes are."""
    first = next(periods(text), None)
    return first is not None and not first.place and first.end == len(text)


def own_date(given: date | None, name: str, modified: date | None) -> tuple[date | None, DateSource]:
    """A document's date: from its front matter, else its file's name, else the file's last change."""
    if given:
        return given, "front matter"
    if named := parse_name(name):
        return named.first_day, "file name"
    return modified, "modified" if modified else "none"


def parse_name(name: str) -> Period | None:
    """The day or month in a file's name: `2026-03-14 plan.md`, `20260314.md`, `2026_03.md`."""
    return next(periods(name.replace("_", "-")), None) or compact(name)


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
