"""Temporal: the query names a time, and the text names it too or is from then.

Where the profile has a `sigma`, the value is nearness in time (`proximity`). Else it says how well the times
that a text names fit that of the query: 1 for one that lies within it, less for a longer one that it is a
part of, for the day that the text was written, and for what is near. Of a range half counts whether the text
names its ends, the first before the second. Of several times each has an equal share. Without a time in the
query there is no such signal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING

from ark_tui.domain.dates import stamps as times
from ark_tui.domain.hits import SignalInfo
from ark_tui.domain.reasons import LEAST, MOST, Reason
from ark_tui.index.protocols import Times
from ark_tui.retrieval.signals import proximity
from ark_tui.retrieval.state import Candidates, Proposal, Search, Signal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.domain.dates.text import Grain, QueryPeriod
    from ark_tui.domain.profile import Profile
    from ark_tui.domain.reasons import Reasons
    from ark_tui.store.found import Found

ALONE = 5.0  # what its weight is multiplied with where the query says nothing but a time
FINE = 2.0  # … where its times are short: many texts name a time of these years, few one of that week
SHORT = 190  # days: half a year
ENDS = (0.35, 0.15)  # of a range: what it counts that a text names the first end, and the second
PARTS = (0.5, 0.2)  # the text names the next longer time, of which the query's is a part, or one beyond
WRITTEN = 0.8  # the text was written then, and names no time that fits
OPEN = (0.7, 1.0)  # before or since a day, month, quarter: it names such a time, as many do; was written then
NEAR = ((1, 0.4), (3, 0.2))  # the text names a time at most so many units outside
UNIT: dict[Grain, int] = {"day": 1, "month": 31, "quarter": 92, "year": 366}  # days

INFO = SignalInfo(
    "temporal",
    "t",
    "time",
    "Whether the text names, or is from, the time that the query names.",
)


def applies(search: Search) -> bool:
    """Whether the query names a time at all."""
    return bool(search.times)


def leading(profile: Profile, times: Sequence[QueryPeriod], *, only: bool) -> Profile:
    """The profile for a query with these times; `only`: it says nothing else, and so is about them."""
    short = all((time_.last - time_.first).days < SHORT for time_ in times)
    fine = bool(times) and not profile.sigma and short
    by = ALONE if only else FINE if fine else 1.0
    weight = profile.weights.get(INFO.name, 0.0) * by
    return profile if by == 1 else replace(profile, weights={**profile.weights, INFO.name: weight})


def propose(search: Search, limit: int) -> Proposal:
    if search.profile.sigma:
        return proximity.propose(search, limit)
    return Proposal.of(search.corpus.words.search(_query(search.times), limit, search.filters))


def values(search: Search, candidates: Candidates) -> NDArray[np.float64]:
    """0…1, by either way."""
    if search.profile.sigma:
        return proximity.values(search, candidates)
    return search.corpus.words.score(_query(search.times), candidates.chunks)


@lru_cache(maxsize=8)  # a search asks several times
def _query(periods: tuple[QueryPeriod, ...]) -> Times:
    share = 1 / len(periods)
    return Times([weighed for period in periods for weighed in _weighed(period, share)])


def _weighed(period: QueryPeriod, share: float) -> Iterator[tuple[list[str], float]]:
    """Sets of stamps, and what having one of a set is worth; `share` in all."""
    ends = ENDS if period.ends else ()
    whole = (period.first, period.last, period.grain)
    yield from _fitting(*whole, share * (1 - sum(ends)), _worth(period))
    for end, part in zip(period.ends, ends, strict=False):
        yield from _fitting(*end, share * part, (1.0, WRITTEN))


def _worth(period: QueryPeriod) -> tuple[float, float]:
    """What it counts that a text names a time within, and that it was written then."""
    return OPEN if period.side != "in" and period.grain != "year" else (1.0, WRITTEN)


def _fitting(
    first: date, last: date, grain: Grain, share: float, worth: tuple[float, float]
) -> Iterator[tuple[list[str], float]]:
    """Each set has those before it and is worth the step to the next, so that a text counts by its best.

    `worth`: what it counts that a text names a time within, and that it was written then.
    """
    within = times.within(first, last)
    steps = [
        (worth[0], within),
        (worth[1], times.written(within)),
        *zip(PARTS, times.longer(first, last), strict=True),
        *((value, times.within(*_widened(first, last, units * UNIT[grain]))) for units, value in NEAR),
    ]
    steps.sort(key=lambda step: -step[0])
    stamps: list[str] = []
    for (value, more), after in zip(steps, [*(value for value, _ in steps[1:]), 0.0], strict=True):
        stamps = [*stamps, *more]
        yield stamps, share * (value - after)


def _widened(first: date, last: date, by: int) -> tuple[date, date]:
    """A time with so many days more at each end, within the calendar."""
    start = max(first.toordinal() - by, 1)
    end = min(last.toordinal() + by, date.max.toordinal())
    return date.fromordinal(start), date.fromordinal(end)


def reasons(search: Search, candidates: Candidates, found: Sequence[Found]) -> list[Reasons]:
    """The times that each text names, and its own date, without which it would fit less."""
    if search.profile.sigma:
        return proximity.reasons(search, candidates, found)
    asked = ", ".join(time_.text for time_ in search.times)
    weighed = [(frozenset(stamps), worth) for stamps, worth in _query(search.times).weighed]
    return [_fits(asked, weighed, hit) for hit in found]


def _fits(asked: str, weighed: Sequence[tuple[frozenset[str], float]], hit: Found) -> Reasons:
    title, text = hit.document.title, hit.text
    own = times.of_day(hit.document.date) if hit.document.date and hit.document.dated else []

    def worth(text: str, own: Sequence[str]) -> float:
        stamps = {*times.named(f"{title} {text}"), *own}
        return sum(value for wanted, value in weighed if not wanted.isdisjoint(stamps))

    whole, written = worth(text, own), _namings(text)
    by_name = [(name, spans, whole - worth(_without(text, spans), own)) for name, spans in written.items()]
    if whole > 0 and not any(value > LEAST for _, _, value in by_name):  # each of them would do
        spans = [span for some in written.values() for span in some]
        by_name = [(", ".join(written), spans, whole - worth(_without(text, spans), own))]
    named = [Reason("time", asked, name, "text", value, tuple(spans)) for name, spans, value in by_name]
    dated = Reason("time", asked, str(hit.document.date), "date", whole - worth(text, ()))
    some = [reason for reason in (*named, dated) if reason.value > LEAST]
    return tuple(sorted(some, key=lambda reason: -reason.value)[:MOST])


def _namings(text: str) -> dict[str, list[tuple[int, int]]]:
    """The times that a text names, as they are written, each with its places."""
    found: dict[str, list[tuple[int, int]]] = {}
    for start, end in times.places(text):
        found.setdefault(text[start:end], []).append((start, end))
    return found


def _without(text: str, spans: Sequence[tuple[int, int]]) -> str:
    for start, end in sorted(spans, reverse=True):
        text = f"{text[:start]} {text[end:]}"
    return text


SIGNAL = Signal(INFO, "words", propose, values, applies=applies, order=80, reasons=reasons)
