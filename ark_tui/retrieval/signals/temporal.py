"""Temporal: the query names a time, and the text names it too or is from then.

Half of the value is the share of the query's own years that the text has, half is whether it has any year
between the first and the last of them. Without a year in the query there is no such signal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ark_tui.domain.hits import SignalInfo
from ark_tui.index.words import times
from ark_tui.retrieval.signals import ranked
from ark_tui.retrieval.signals.coverage import as_is
from ark_tui.retrieval.state import Candidates, Proposal, Search, Signal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LONGEST = 60  # years of a span; two years further apart are two times and not one span

INFO = SignalInfo(
    "temporal",
    "t",
    "time",
    "Whether the text names, or is from, the time that the query names.",
)


def applies(search: Search) -> bool:
    """Whether the query names a time at all."""
    return bool(_years(search))


def _years(search: Search) -> list[int]:
    return sorted({int(year) for year in times.YEAR.findall(search.query.text)})


def _stamps(search: Search) -> tuple[list[str], list[str]]:
    """The query's own years, and those of the span they make."""
    years = _years(search)
    span = range(years[0], years[-1] + 1) if years[-1] - years[0] < LONGEST else years
    return [f"y{year}" for year in years], [f"y{year}" for year in span]


def propose(search: Search, limit: int) -> Proposal:
    named, span = _stamps(search)
    return ranked.proposal(search.corpus.words.times(named, span, search.filters, limit))


def values(search: Search, candidates: Candidates) -> NDArray[np.float64]:
    """0…1: half for the query's own years, half for any within their span."""
    named, span = _stamps(search)
    found = search.corpus.words.times(
        named, span, search.filters, len(candidates), among=candidates.chunks.tolist()
    )
    return ranked.spread(found, candidates)


SIGNAL = Signal(INFO, "words", propose, values, normalise=as_is, rrf=as_is, applies=applies)
