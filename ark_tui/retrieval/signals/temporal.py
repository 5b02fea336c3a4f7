"""Temporal signal: whether the text names the time in the query, or is from that time.

If the profile has a `sigma`, the value is the proximity in time (`proximity`). Otherwise it is the match of
the times in the text with that of the query: 1 for a time within it, less for a longer period that contains
it, for the date of the text, and for a nearby time. For a range, half of the value depends on whether the
text names its ends, the first more than the second. Several times have equal shares. The signal applies only
to queries with a time.
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

ALONE = 5.0  # weight multiplier if the query consists of a time only
FINE = 2.0  # weight multiplier for short times: few texts name that week, many name that year
SHORT = 190  # days: half a year
ENDS = (0.35, 0.15)  # shares of a range's first and second end
PARTS = (0.5, 0.2)  # value if the text names the next longer containing period, or the one after that
WRITTEN = 0.8  # value if the text is dated then and names no matching time
OPEN = (0.7, 1.0)  # `before` or `since` a day, month or quarter: named in the text; date of the text
NEAR = ((1, 0.4), (3, 0.2))  # value if the text names a time at most this many units outside
UNIT: dict[Grain, int] = {"day": 1, "month": 31, "quarter": 92, "year": 366}  # days

INFO = SignalInfo(
    "temporal",
    "t",
    "time",
    "Whether the text names, or is from, the time that the query names.",
)


def applies(search: Search) -> bool:
    """Whether the query names a time."""
    return bool(search.times)


def leading(profile: Profile, times: Sequence[QueryPeriod], *, only: bool) -> Profile:
    """The profile with the weight for a query with these times; `only`: the query names nothing else."""
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
    """The temporal match, 0…1, by either method."""
    if search.profile.sigma:
        return proximity.values(search, candidates)
    return search.corpus.words.score(_query(search.times), candidates.chunks)


@lru_cache(maxsize=8)  # called several times per search
def _query(periods: tuple[QueryPeriod, ...]) -> Times:
    share = 1 / len(periods)
    return Times([weighed for period in periods for weighed in _weighed(period, share)])


def _weighed(period: QueryPeriod, share: float) -> Iterator[tuple[list[str], float]]:
    """Sets of time stamps, each with the value of a match; the values sum to at most `share`."""
    ends = ENDS if period.ends else ()
    whole = (period.first, period.last, period.grain)
    yield from _fitting(*whole, share * (1 - sum(ends)), _worth(period))
    for end, part in zip(period.ends, ends, strict=False):
        yield from _fitting(*end, share * part, (1.0, WRITTEN))


def _worth(period: QueryPeriod) -> tuple[float, float]:
    """The values of a time named in the text, and of the date of the text."""
    return OPEN if period.side != "in" and period.grain != "year" else (1.0, WRITTEN)


def _fitting(
    first: date, last: date, grain: Grain, share: float, worth: tuple[float, float]
) -> Iterator[tuple[list[str], float]]:
    """Cumulative sets of stamps, each with the value difference to the next, so a text gets its best value.

    `worth`: the values of a time named in the text, and of the date of the text.
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
    """A period extended by `by` days at each end, within the calendar."""
    start = max(first.toordinal() - by, 1)
    end = min(last.toordinal() + by, date.max.toordinal())
    return date.fromordinal(start), date.fromordinal(end)


def reasons(search: Search, candidates: Candidates, found: Sequence[Found]) -> list[Reasons]:
    """The times named in each text, and its date, that increase its value."""
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
    if whole > 0 and not any(value > LEAST for _, _, value in by_name):  # each of them alone suffices
        spans = [span for some in written.values() for span in some]
        by_name = [(", ".join(written), spans, whole - worth(_without(text, spans), own))]
    named = [Reason("time", asked, name, "text", value, tuple(spans)) for name, spans, value in by_name]
    dated = Reason("time", asked, str(hit.document.date), "date", whole - worth(text, ()))
    some = [reason for reason in (*named, dated) if reason.value > LEAST]
    return tuple(sorted(some, key=lambda reason: -reason.value)[:MOST])


def _namings(text: str) -> dict[str, list[tuple[int, int]]]:
    """The times named in a text, as written, with their character ranges."""
    found: dict[str, list[tuple[int, int]]] = {}
    for start, end in times.places(text):
        found.setdefault(text[start:end], []).append((start, end))
    return found


def _without(text: str, spans: Sequence[tuple[int, int]]) -> str:
    for start, end in sorted(spans, reverse=True):
        text = f"{text[:start]} {text[end:]}"
    return text


SIGNAL = Signal(INFO, "words", propose, values, applies=applies, order=80, reasons=reasons)
