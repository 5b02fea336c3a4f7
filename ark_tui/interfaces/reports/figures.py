"""Converts the engine's measures and counts to charts, for reports and panes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from itertools import pairwise
from typing import Literal

from ark_tui.domain import analysis as domain
from ark_tui.domain.analysis import Activity, Bucket
from ark_tui.domain.documents import Document
from ark_tui.interfaces.reports import charts
from ark_tui.interfaces.reports.charts import Bars, Curves, Group, Line, Map, Series, Times
from ark_tui.interfaces.reports.text import clean, shortened

BINS = 40  # bins of the eigenvalues' histogram
STEPS = 16  # points per bin at which the law is evaluated
FIRST = 5  # names above a curve of ranks
REGIONS = 12  # communities of a map with their own letter
LEAST = 100  # the logarithmic axis starts at this fraction of the edge
LABEL = 28  # letters of a name

FEW = 4  # up to this many spans are shown as horizontal bars
MOST = 60  # columns; more days become months, and more months years
LENGTHS = {"day": 10, "month": 7, "year": 4}
"""The length of the ISO prefix that names a day, month or year."""

Days = Sequence[tuple[date, int]]
"""Counts by day, or by the first day of a month, in order."""

What = Literal["added", "changed", "searches", "accesses"]


# -- the shape of a corpus -----------------------------------------------------------------------------


def histogram(found: domain.Spectrum) -> Curves | None:
    """Histogram of the eigenvalues in bins of equal ratio, with the counts of the Marchenko-Pastur law.

    None if there are too few. Zero eigenvalues, as with fewer texts than columns, are left out.
    """
    values = [value for value in found.eigenvalues if value > found.edge / LEAST]
    if len(values) < 2 or found.edge <= 0:
        return None
    low, high = min(*values, found.lower_edge or found.edge) * 0.999, max(*values, found.threshold) * 1.001
    ratio = (high / low) ** (1 / BINS)
    bounds = [low * ratio**number for number in range(BINS + 1)]
    counts, expected = [0] * BINS, []
    for value in values:
        counts[min(BINS - 1, int(math.log(value / low) / math.log(ratio)))] += 1
    for left, right in pairwise(bounds):
        steps = [left + (number + 0.5) * (right - left) / STEPS for number in range(STEPS)]
        expected.append(sum(map(found.noise_density, steps)) * (right - left) / STEPS * found.dims)
    middles = tuple(math.sqrt(left * right) for left, right in pairwise(bounds))
    law = tuple(min(value, 2.0 * max(counts)) for value in expected)  # one steep bin would hide the rest
    return Curves(
        (
            Series("eigenvalues", middles, tuple(map(float, counts)), filled=True),
            Series("noise alone (Marchenko–Pastur)", middles, law, "meaning", "•", dots=True),
        ),
        "eigenvalue",
        f"eigenvalues per bin · {found.texts:,} texts, {found.dims:,} dimensions",
        (Line(f"noise ends at {found.edge:.2f}", found.edge, upright=True),),
        log_x=True,
    )


def gaps(found: domain.Gaps) -> Bars:
    """The links that each pair of communities lacks: those expected by size alone, minus those it has."""
    lacking = [
        (shortened(f"{gap.a.label} – {gap.b.label}", LABEL), gap.expected - gap.links) for gap in found.gaps
    ]
    return charts.bars(lacking, "structure", digits=1)


def foundations(found: domain.Foundations, documents: int = 0) -> Curves:
    """PageRank by rank. `documents`: the number of documents of the curve."""
    return _ranks("PageRank", found.curve, documents, "words", [one.document for one in found.documents])


def bridges(found: domain.Bridges, documents: int = 0) -> Curves:
    """Betweenness by rank."""
    first = [one.document for one in found.documents]
    return _ranks("betweenness", found.curve, documents, "structure", first)


def boundary(found: domain.Boundary, documents: int = 0) -> Curves:
    """The documents in the order of the Fiedler vector, and its sign change."""
    order = found.order
    places = _places(len(order), found.parts[0] if found.parts else documents)
    turn = next((number for number, value in enumerate(order) if value >= 0), 0)
    lines: tuple[Line, ...] = ()
    if 0 < turn < len(order):
        lines = (Line("boundary", (places[turn - 1] + places[turn]) / 2, upright=True),)
    x, y = charts.thinned(places, order)
    return Curves((Series("Fiedler vector", x, y, "meaning"),), "documents in its order", "value", lines)


def communities(found: domain.Communities) -> Bars:
    """The sizes of the communities."""
    sizes = [(shortened(community.label, LABEL), community.size) for community in found.communities]
    return charts.bars(sizes, "structure")


def world(found: domain.Map) -> Map:
    """The map: letters for the largest communities, dots for the rest."""
    named = {region.community: region for region in found.regions[:REGIONS]}
    groups = []
    for number, (community, region) in enumerate(named.items()):
        places = [place for place in found.places if place.community == community]
        groups.append(_group(number, region.label, region.size, places))
    rest = [place for place in found.places if place.community not in named]
    if rest:
        size = found.documents - sum(region.size for region in named.values())
        groups.insert(0, replace(_group(0, "others", max(size, len(rest)), rest), letter="·", colour="faint"))
    return Map(tuple(groups))


def audit(found: domain.Audit) -> Bars:
    """The causes for which documents are not found."""
    return charts.bars(list(found.causes.items()), "meaning")


def _group(number: int, name: str, size: int, places: Sequence[domain.Place]) -> Group:
    one = charts.group(number, name, [place.x for place in places], [place.y for place in places])
    return replace(one, size=size)


def _ranks(
    name: str, curve: Sequence[float], documents: int, colour: str, first: Sequence[Document]
) -> Curves:
    """A curve over ranks, logarithmic if it spans more than a decade."""
    above = [value for value in curve if value > 0]
    steep = bool(above) and math.log10(max(above) / min(above)) > 1
    x, y = charts.thinned(_places(len(curve), documents), curve)
    names = tuple(clean(document.called) for document in first[:FIRST])
    series = (Series(name, x, y, colour),)
    return Curves(series, "documents, best first", name, log_y=steep, first=names)


def _places(drawn: int, of: int) -> list[float]:
    """The ranks of `drawn` values sampled evenly from `of`, including both ends."""
    step = (max(of, drawn) - 1) / (drawn - 1) if drawn > 1 else 1.0
    return [1 + number * step for number in range(drawn)]


# -- counts over time ----------------------------------------------------------------------------------


def by_month(months: Days, colour: str = "time") -> Times | Bars:
    """Counts by month including empty ones, or by year if there are too many months."""
    if not months:
        return Times((), (), colour)
    counts = {(day.year, day.month): count for day, count in months}
    first, last = (day.year * 12 + day.month - 1 for day in (months[0][0], months[-1][0]))
    if last - first < MOST:
        every = [(at // 12, at % 12 + 1) for at in range(first, last + 1)]
        return _columns([f"{y:04}-{m:02}" for y, m in every], [counts.get(at, 0) for at in every], colour)
    years = range(first // 12, last // 12 + 1)
    by_year = [sum(count for (year, _), count in counts.items() if year == at) for at in years]
    return _columns([f"{year:04}" for year in years], by_year, colour)


def dated(activity: Activity, colour: str = "time") -> Times | Bars:
    """Documents by their own dates."""
    names = [span_name(one.start, activity.dated_bucket) for one in activity.dated]
    return _columns(names, [one.documents for one in activity.dated], colour)


def span_name(start: date, bucket: Bucket) -> str:
    """The name of a day, month or year, given its first day."""
    return start.isoformat()[: LENGTHS[bucket]]


def active(activity: Activity, what: What, colour: str = "time") -> Times | Bars:
    """The counts of one kind of activity, by period."""
    names = [span_name(period.start, activity.bucket) for period in activity.periods]
    return _columns(names, [getattr(period, what) for period in activity.periods], colour)


def _columns(names: Sequence[str], counts: Sequence[int], colour: str) -> Times | Bars:
    """Columns, or horizontal bars if there are only a few."""
    if len(names) > FEW:
        return Times(tuple(names), tuple(counts), colour)
    return charts.bars([(name, float(count)) for name, count in zip(names, counts, strict=True)], colour)
