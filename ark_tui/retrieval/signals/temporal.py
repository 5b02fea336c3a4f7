"""Temporal: the query names a time, and the text names it too or is from then.

Where the profile has a `sigma`, the value is nearness in time (`proximity`). Else it is the share of the
times named that the text has: of the query's years half is the share of them, half whether any between the
first and the last is there; of finer or relative times (`March 2026`, `last week`) it is the share of them.
Of a query with both each is half. Without a time in the query there is no such signal.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ark_tui.domain.hits import SignalInfo
from ark_tui.index.protocols import Times
from ark_tui.index.words import times
from ark_tui.retrieval import when
from ark_tui.retrieval.signals import proximity, ranked
from ark_tui.retrieval.signals.coverage import as_is
from ark_tui.retrieval.state import Candidates, Proposal, Search, Signal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.domain.profile import Profile

YEAR = 366  # days; of a longer time the months hardly matter
ALONE = 5.0  # what its weight is multiplied with where the query says nothing but a time
LONGEST = 60  # years of a span; two years further apart are two times and not one span

INFO = SignalInfo(
    "temporal",
    "t",
    "time",
    "Whether the text names, or is from, the time that the query names.",
)


@dataclass(frozen=True, slots=True)
class _Times:
    """The times of a query: the years it spells, and those that are finer or relative to today."""

    years: list[int]
    others: list[when.QueryPeriod]

    def weighed(self) -> list[tuple[list[str], float]]:
        """Sets of stamps, and what having one of a set is worth; 1 in all."""
        found: list[tuple[list[str], float]] = []
        half = 0.5 if self.years and self.others else 1.0
        if years := self.years:
            span = range(years[0], years[-1] + 1) if years[-1] - years[0] < LONGEST else years
            found += [([f"y{year}"], half * 0.5 / len(years)) for year in years]
            found.append(([f"y{year}" for year in span], half * 0.5))
        found += [
            (times.of_period(one.first, one.last, one.grain), half / len(self.others)) for one in self.others
        ]
        return found


def applies(search: Search) -> bool:
    """Whether the query names a time at all."""
    found = _times(search)
    return bool(found.years or found.others)


def leading(profile: Profile) -> Profile:
    """The profile for a query that says nothing but a time, which then is what it is about."""
    weight = profile.weights.get(INFO.name, 0.0) * ALONE
    return replace(profile, weights={**profile.weights, INFO.name: weight})


def _times(search: Search) -> _Times:
    text = search.query.text
    named = when.periods(text, search.corpus.clock.now())
    others = [one for one in named if not _spelt(one)]
    return _Times(sorted({int(year) for year in times.YEAR.findall(text)}), others)


def _spelt(period: when.QueryPeriod) -> bool:
    """Whether its years say it all, and the query spells them: `1995`, `from Aug 1994 to 1998`."""
    spelt = {int(year) for year in times.YEAR.findall(period.text)}
    coarse = period.grain == "year" or (period.last - period.first).days > YEAR
    return coarse and {period.first.year, period.last.year} <= spelt


def propose(search: Search, limit: int) -> Proposal:
    if search.profile.sigma:
        return proximity.propose(search, limit)
    return ranked.proposal(search.corpus.words.search(_query(search), limit, search.filters))


def values(search: Search, candidates: Candidates) -> NDArray[np.float64]:
    """0…1, by either way."""
    if search.profile.sigma:
        return proximity.values(search, candidates)
    return search.corpus.words.score(_query(search), candidates.chunks)


def _query(search: Search) -> Times:
    return Times(_times(search).weighed())


SIGNAL = Signal(INFO, "words", propose, values, normalise=as_is, rrf=as_is, applies=applies, order=80)
