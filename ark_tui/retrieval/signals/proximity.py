"""Proximity in time: exp(−d² / 2σ²), d the days between the query's time and the document's (S6).

A document's times are its own date, from front matter or file name, and the months and quarters that its text
links to, but not the modification time of its file. d is measured between the nearer ends and is 0 if the
periods overlap. Documents linked to the query's time become candidates by their chunk closest to the query.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from math import exp
from typing import TYPE_CHECKING

import numpy as np

from ark_tui.domain.dates import stamps as times
from ark_tui.domain.dates import text as periods
from ark_tui.domain.reasons import Reason
from ark_tui.retrieval.signals import documents
from ark_tui.retrieval.state import Candidates, Proposal, Search
from ark_tui.store import links

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.domain.reasons import Reasons
    from ark_tui.store.found import Found
    from ark_tui.store.links import Occurrence

REACH = 3.0  # maximum distance, in σ

Span = tuple[date, date]


def propose(search: Search, limit: int) -> Proposal:
    """The documents linked to the query's time, best cosine first."""
    numbers, _ = _near(search)
    return documents.best_chunks(search, numbers, -1.0, limit)


def values(search: Search, candidates: Candidates) -> NDArray[np.float64]:
    """The proximity in time (0…1) of each candidate's document."""
    return documents.look_up(*_near(search), candidates.documents)


def reasons(search: Search, candidates: Candidates, found: Sequence[Found]) -> list[Reasons]:
    """The document's date, or the times named in its text, for each document near in time."""
    asked = ", ".join(time_.text for time_ in search.times)
    return [
        (_reason(asked, hit, value),) if value > 0 else ()
        for hit, value in zip(found, values(search, candidates).tolist(), strict=True)
    ]


def _reason(asked: str, hit: Found, value: float) -> Reason:
    if hit.document.date and hit.document.dated:
        return Reason("time", asked, str(hit.document.date), "date", value)
    spans = times.places(hit.text)
    named = ", ".join(dict.fromkeys(hit.text[a:b] for a, b in spans)) or "a time near it"
    return Reason("time", asked, named, "text", value, tuple(spans))


def _near(search: Search) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The documents near the query's times, ascending, and their values; cached per search."""
    if search.near is None:
        spans = [(time_.first, time_.last) for time_ in search.times]
        sigma = search.profile.sigma
        nodes = sorted({node for span in spans for node in _nodes(span, sigma)})
        with search.corpus.store.read() as lease:
            occurrences = links.occurrences(lease, nodes)
        best: dict[int, float] = {}
        for occurrence in occurrences:
            days = min(_apart(time, span) for time in _times(occurrence) for span in spans)
            if days <= REACH * sigma:
                value = exp(-(days**2) / (2 * sigma**2))
                best[occurrence.document] = max(value, best.get(occurrence.document, 0.0))
        numbers = np.array(sorted(best), np.int64)
        search.near = numbers, np.array([best[number] for number in numbers.tolist()])
    return search.near


def _nodes(span: Span, sigma: float) -> Iterator[str]:
    """The months and quarters within reach of a time."""
    reach = timedelta(days=REACH * sigma)
    first, last = _moved(span[0], -reach), _moved(span[1], reach)
    start, end = first.year * 12 + first.month - 1, last.year * 12 + last.month - 1
    start, end = max(start, times.FIRST.year * 12), min(end, times.LAST.year * 12 + 11)
    for months in range(start, end + 1):
        year, month = divmod(months, 12)
        yield from periods.Period(0, year, month + 1).nodes


def _moved(day: date, by: timedelta) -> date:
    try:
        return day + by
    except OverflowError:
        return day


def _times(one: Occurrence) -> list[Span]:
    """The times of a document from one of its links to a period.

    If the period contains the document's own date, that more exact date is used instead.
    """
    own = one.own
    node = periods.node_span(one.node)
    if own is not None and node[0] <= own <= node[1]:
        return [(own, own)]
    return [node]


def _apart(a: Span, b: Span) -> int:
    """The days between two periods; 0 if they overlap."""
    return max((b[0] - a[1]).days, (a[0] - b[1]).days, 0)
