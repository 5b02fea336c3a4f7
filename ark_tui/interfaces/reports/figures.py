"""What measures and counts look like: from the engine's answers to charts, for reports and panes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date, timedelta
from itertools import pairwise
from typing import Literal

from ark_tui.domain import analysis as domain
from ark_tui.domain.analysis import Activity, Bucket
from ark_tui.domain.documents import Document
from ark_tui.interfaces.reports import charts
from ark_tui.interfaces.reports.charts import Bars, Curves, Group, Heat, Line, Map, Series, Times
from ark_tui.interfaces.reports.text import clean, shortened

BINS = 40  # of the eigenvalues' histogram
STEPS = 16  # at which the law is taken in a bin
FIRST = 5  # names above a curve of ranks
REGIONS = 12  # of a map, that get a letter of their own
STEEP = 20  # times the edge, from where on the largest eigenvalue needs a logarithmic axis
LEAST = 100  # parts of the edge, below which that axis shows nothing
LABEL = 28  # letters of a name

FEW = 4  # spans of time that are shown as lying bars
MOST = 60  # columns; of more days, months are made, and of more months, years
LENGTHS = {"day": 10, "month": 7, "year": 4}
"""Letters of a date that name its day, month or year."""

Days = Sequence[tuple[date, int]]
"""How many there were of something, by day or by the first day of a month, in order."""

What = Literal["added", "changed", "searches", "accesses"]


# -- the shape of a corpus -----------------------------------------------------------------------------


def spectrum(found: domain.Spectrum) -> Curves:
    """Eigenvalues by rank, and where those of pure noise would end."""
    steep = bool(found.eigenvalues) and found.eigenvalues[0] > STEEP * found.edge > 0
    shown = [value for value in found.eigenvalues if not steep or value > found.edge / LEAST]
    lines = (Line(f"noise ends at {found.edge:.2f}", found.edge),) if found.edge > 0 else ()
    return Curves((charts.curve("eigenvalues", shown),), "rank", "eigenvalue", lines, log_y=steep)


def histogram(found: domain.Spectrum) -> Curves | None:
    """The eigenvalues in bins of equal ratio, and how many Marchenko and Pastur's law has in each.

    None where they are too few. Those that are 0, as with fewer texts than columns, are left out.
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


def crossings(found: domain.Gaps) -> Heat | None:
    """Observed and expected links between the largest communities; None where nothing is linked."""
    names = list(dict.fromkeys(one.a for one in found.crossings))
    if len(names) < 2:
        return None
    at = {name: number for number, name in enumerate(names)}
    observed = [[0.0] * len(names) for _ in names]
    expected = [[0.0] * len(names) for _ in names]
    for one in found.crossings:
        for a, b in ((at[one.a], at[one.b]), (at[one.b], at[one.a])):
            observed[a][b], expected[a][b] = float(one.links), one.expected
    return Heat(tuple(names), tuple(map(tuple, observed)), tuple(map(tuple, expected)))


def foundations(found: domain.Foundations, documents: int = 0) -> Curves:
    """PageRank by rank. `documents`: how many the curve was drawn from."""
    return _ranks("PageRank", found.curve, documents, "words", [one.document for one in found.documents])


def bridges(found: domain.Bridges, documents: int = 0) -> Curves:
    """Betweenness by rank."""
    first = [one.document for one in found.documents]
    return _ranks("betweenness", found.curve, documents, "structure", first)


def boundary(found: domain.Boundary, documents: int = 0) -> Curves:
    """The documents in the order of the Fiedler vector, and where its sign turns."""
    order = found.order
    places = _places(len(order), found.parts[0] if found.parts else documents)
    turn = next((number for number, value in enumerate(order) if value >= 0), 0)
    lines: tuple[Line, ...] = ()
    if 0 < turn < len(order):
        lines = (Line("boundary", (places[turn - 1] + places[turn]) / 2, upright=True),)
    x, y = charts.thinned(places, order)
    return Curves((Series("Fiedler vector", x, y, "meaning"),), "documents in its order", "value", lines)


def communities(found: domain.Communities) -> Bars:
    """How large the communities are."""
    sizes = [(shortened(community.label, LABEL), community.size) for community in found.communities]
    return charts.bars(sizes, "structure")


def world(found: domain.Map) -> Map:
    """The map: a letter for each of the largest communities, a dot for the rest."""
    named = {region.community: region for region in found.regions[:REGIONS]}
    groups = []
    for number, (community, region) in enumerate(named.items()):
        places = [place for place in found.places if place.community == community]
        groups.append(_group(number, region.label, region.size, places))
    rest = [place for place in found.places if place.community not in named]
    if rest:
        size = found.documents - sum(region.size for region in named.values())
        one = _group(0, "others", max(size, len(rest)), rest)
        groups.insert(0, Group("·", one.name, "faint", one.x, one.y, one.size))
    return Map(tuple(groups))


def audit(found: domain.Audit) -> Bars:
    """Why documents are not found."""
    return charts.bars(list(found.causes.items()), "meaning")


def _group(number: int, name: str, size: int, places: Sequence[domain.Place]) -> Group:
    one = charts.group(number, name, [place.x for place in places], [place.y for place in places])
    return Group(one.letter, one.name, one.colour, one.x, one.y, size)


def _ranks(
    name: str, curve: Sequence[float], documents: int, colour: str, first: Sequence[Document]
) -> Curves:
    """A curve over ranks; logarithmic where it spans more than a decade."""
    above = [value for value in curve if value > 0]
    steep = bool(above) and math.log10(max(above) / min(above)) > 1
    x, y = charts.thinned(_places(len(curve), documents), curve)
    names = tuple(clean(document.called) for document in first[:FIRST])
    series = (Series(name, x, y, colour),)
    return Curves(series, "documents, best first", name, log_y=steep, first=names)


def _places(drawn: int, of: int) -> list[float]:
    """The ranks of values that were drawn evenly from so many, both ends among them."""
    step = (max(of, drawn) - 1) / (drawn - 1) if drawn > 1 else 1.0
    return [1 + number * step for number in range(drawn)]


# -- counts over time ----------------------------------------------------------------------------------


def by_month(months: Days, colour: str = "time") -> Times | Bars:
    """Counts by month, months without any included; by year where months are too many."""
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


def by_day(days: Days, colour: str = "time") -> Times | Bars:
    """Counts by day where the days are few enough, else by month."""
    if not days:
        return Times((), (), colour)
    first, last = days[0][0], days[-1][0]
    if (last - first).days >= MOST:
        months: dict[date, int] = {}
        for day, count in days:
            months[day.replace(day=1)] = months.get(day.replace(day=1), 0) + count
        return by_month(tuple(months.items()), colour)
    counts = dict(days)
    every = [first + timedelta(days=number) for number in range((last - first).days + 1)]
    return _columns([day.isoformat() for day in every], [counts.get(day, 0) for day in every], colour)


def dated(activity: Activity, colour: str = "time") -> Times | Bars:
    """Documents by their own dates."""
    names = [span_name(one.start, activity.dated_bucket) for one in activity.dated]
    return _columns(names, [one.documents for one in activity.dated], colour)


def span_name(start: date, bucket: Bucket) -> str:
    """A day, month or year by its first day."""
    return start.isoformat()[: LENGTHS[bucket]]


def active(activity: Activity, what: What, colour: str = "time") -> Times | Bars:
    """One kind of activity, in the periods it was counted in."""
    names = [span_name(period.start, activity.bucket) for period in activity.periods]
    return _columns(names, [getattr(period, what) for period in activity.periods], colour)


def _columns(names: Sequence[str], counts: Sequence[int], colour: str) -> Times | Bars:
    """Columns, or lying bars when there are only a few."""
    if len(names) > FEW:
        return Times(tuple(names), tuple(counts), colour)
    return charts.bars([(name, float(count)) for name, count in zip(names, counts, strict=True)], colour)
