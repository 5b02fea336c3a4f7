"""The view of each measure of the corpus: a chart, a sentence, and the documents.

The analysis pane shows one at a time, the report all of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from ark_tui.domain import analysis as domain
from ark_tui.domain.analysis import Activity, Analysis, Novel, What
from ark_tui.domain.documents import Document
from ark_tui.domain.wording import counted
from ark_tui.interfaces.reports import charts
from ark_tui.interfaces.reports.charts import FAMILIES, Chart, Curves, Group, Map, Series
from ark_tui.interfaces.reports.text import clean, shortened

LETTERS = "abcdefghijkl"
"""The letters of the largest communities on a map."""

BINS = 40  # bins of the eigenvalues' histogram
LEAST = 100  # the logarithmic axis starts at this fraction of the edge
LABEL = 28  # letters of a name

Row = tuple["Document", str]
"""A document and the reason why it is listed."""


@dataclass(frozen=True, slots=True)
class View:
    """The result of a measure. `chart` is None if there is nothing to draw."""

    chart: Chart | None
    said: str
    rows: tuple[Row, ...] = ()
    points: tuple[tuple[float, float], ...] = ()  # of a map: position of each row
    notice: str = ""  # limits of the chart for this corpus
    facts: tuple[tuple[str, str], ...] = ()  # names and values above the chart

    def pointing(self, row: int) -> Chart | None:
        """The chart with the position of a row marked, if it is a map."""
        if isinstance(self.chart, Map) and row < len(self.points):
            return replace(self.chart, here=self.points[row])
        return self.chart

    def under_lens(self, times: int, row: int) -> View:
        """A map zoomed by a factor around a row. Its visible rows are listed, nearest first."""
        if times <= 1 or not isinstance(self.chart, Map) or not self.points:
            return self
        x, y = self.points[min(row, len(self.points) - 1)]
        left, right, low, high = self.chart.box
        wide, tall = (right - left) / times / 2, (high - low) / times / 2
        inside = sorted(
            (math.hypot((across - x) / (wide or 1.0), (up - y) / (tall or 1.0)), number)
            for number, (across, up) in enumerate(self.points)
            if abs(across - x) <= wide and abs(up - y) <= tall
        )
        return replace(
            self,
            chart=replace(self.chart, lens=(x - wide, x + wide, y - tall, y + tall)),
            said="{times} × · {inside} of {total:,} in view".format(
                times=times, inside=counted(len(inside), "document"), total=len(self.rows)
            ),
            rows=tuple(self.rows[number] for _, number in inside),
            points=tuple(self.points[number] for _, number in inside),
        )

    def nearest(self, x: float, y: float) -> int:
        """The row nearest to a point of the map."""
        away = [math.hypot(across - x, up - y) for across, up in self.points]
        return away.index(min(away))


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure: its name, its request, and the function that builds its view."""

    name: str
    about: str
    what: tuple[What, ...]
    view: Callable[[Analysis], View]
    read: str  # explanation of the chart


def _spectrum(found: Analysis) -> View:
    one = found.novelty
    assert one is not None
    spectrum = one.spectrum
    directions = f"{spectrum.outside} of {len(spectrum.eigenvalues)} directions above noise"
    said = directions if spectrum.texts else ""
    rows = tuple((novel.document, _novel(novel)) for novel in one.documents)
    return View(histogram(spectrum), said, rows, notice=one.notice)


def _novel(one: Novel) -> str:
    """`novel 12.3 eigenvalue, gap`."""
    return f"{'novel' if one.novel else 'apart'} {one.score:.1f} {', '.join(one.terms[:3])}"


def _centrality(found: Analysis) -> View:
    one, documents = found.foundations, found.graph.documents
    assert one is not None
    rows = tuple(
        (a.document, f"{a.score:.4f}, {a.linked_by} links to it, {a.near} similar") for a in one.documents
    )
    chart = _ranks("PageRank", one.curve, documents, "words") if one.curve else None
    return View(chart, "PageRank", rows, notice=one.notice)


def _bridges(found: Analysis) -> View:
    one, documents = found.bridges, found.graph.documents
    assert one is not None
    rows = tuple((a.document, f"{a.score:.4f} {' – '.join(a.between[:2])}") for a in one.documents)
    chart = _ranks("betweenness", one.curve, documents, "structure") if one.curve else None
    return View(chart, "betweenness", rows, notice=one.notice)


def _boundary(found: Analysis) -> View:
    one = found.boundary
    assert one is not None
    rows = [(document, "on the boundary") for document in one.at_boundary]
    for number, side in enumerate(one.sides, 1):
        rows += [(document, f"side {number}: {', '.join(side.terms[:3])}") for document in side.documents]
    said = f"{one.crossing:,} of {one.edges:,} links cross it" if one.edges else ""
    return View(boundary(one) if len(one.order) > 1 else None, said, tuple(rows), notice=one.notice)


def _map(found: Analysis) -> View:
    one, groups = found.map, found.communities
    assert one is not None
    labels = {group.id: group.label for group in (groups.communities if groups else ())}
    places = sorted(one.places, key=lambda place: place.community or len(labels) + 1)
    rows = tuple((place.document, labels.get(place.community, "no community")) for place in places)
    points = tuple((place.x, place.y) for place in places)
    said = f"{len(places):,} of {counted(one.documents, 'document')} drawn" if places else ""
    return View(world(one) if places else None, said, rows, points, one.notice)


def _gaps(found: Analysis) -> View:
    one = found.gaps
    assert one is not None
    rows = tuple(
        (document, f"{_links(gap.links, gap.expected)} · {gap.a.label} – {gap.b.label}")
        for gap in one.gaps
        for document in gap.pair
    )
    few = f"{len(one.gaps)} of {one.considered} similar pairs of communities have few links"
    said = few if one.considered else ""
    lacking = [
        (shortened(f"{gap.a.label} – {gap.b.label}", LABEL), gap.expected - gap.links) for gap in one.gaps
    ]
    chart = charts.bars(lacking, "structure", digits=1) if one.gaps else None
    return View(chart, said, rows, notice=one.notice)


def _links(seen: int, expected: float) -> str:
    return f"{counted(seen, 'link')}, {expected:.1f} expected"


def _audit(found: Analysis) -> View:
    one = found.audit
    assert one is not None
    rows = tuple((unfound.document, f"{unfound.cause}: {unfound.detail}") for unfound in one.unfound)
    said = f"{one.found} of {one.asked} are found by their own words" if one.asked else ""
    chart = charts.bars(list(one.causes.items()), "meaning") if one.causes else None
    return View(chart, said, rows, notice=one.notice)


def _activity(found: Analysis) -> View:
    one = found.activity
    assert one is not None
    if one.dated:
        total = sum(period.documents for period in one.dated)
        documents = counted(total, "document")
        said = f"{documents} by their own dates, {one.undated:,} undated, by {one.dated_bucket}"
        return View(charts.dated(one), said, notice=one.notice)
    total = sum(period.added for period in one.periods)
    said = (
        f"{counted(total, 'document')} indexed, none with a date of its own, by {one.bucket}" if total else ""
    )
    return View(charts.active(one, "added") if one.periods else None, said, notice=one.notice)


def _summary(found: Analysis) -> View:
    """The corpus on one screen: size, notable findings, communities."""
    novelty, groups, first, gaps, activity = (
        found.novelty, found.communities, found.foundations, found.gaps, found.activity,
    )  # fmt: skip
    assert novelty is not None and groups is not None and first is not None  # noqa: PT018 - all were asked for
    assert gaps is not None and activity is not None  # noqa: PT018
    graph, spectrum = found.graph, novelty.spectrum
    if not graph.documents:
        return View(None, "", notice=groups.notice)
    directions = f"{spectrum.outside} of {spectrum.dims} directions above noise"
    parts = [
        ("Documents", f"{graph.documents:,}, {graph.similar:,} similar pairs, {graph.links:,} linked"),
        ("Dates", _span(activity)),
        ("Spectrum", f"{directions}, {spectrum.texts:,} texts"),
        ("Novel", counted(novelty.count, "document")),
        ("Central", first.documents[0].document.called if first.documents else "none"),
        ("Gaps", f"{len(gaps.gaps)} among {gaps.considered} similar pairs of communities"),
        (
            "Communities",
            f"{len(groups.communities)}, modularity {groups.modularity:.2f}, {groups.alone} alone",
        ),
    ]
    named = {one.id: one.label for one in groups.communities}
    rows = [(one.document, f"central: PageRank {one.score:.4f}") for one in first.documents[:5]]
    rows += [(one.document, _novel(one)) for one in novelty.documents[:5] if one.novel]
    rows += [(one.documents[0], f"center of {named[one.id]}") for one in groups.communities if one.documents]
    unique: dict[str, Row] = {}
    for row in rows:
        unique.setdefault(row[0].id, row)
    sizes = [(shortened(one.label, LABEL), one.size) for one in groups.communities]
    return View(
        charts.bars(sizes, "structure"), "", tuple(unique.values()), notice=groups.notice, facts=tuple(parts)
    )


def _span(activity: Activity) -> str:
    """The range of the documents' own dates."""
    dated = [one for one in activity.dated if one.documents]
    if not dated:
        return "no document has a date of its own"
    first, last = (
        charts.span_name(one.start.isoformat(), activity.dated_bucket) for one in (dated[0], dated[-1])
    )
    return f"{first} to {last}, {activity.undated:,} undated"


# -- charts --------------------------------------------------------------------------------------------


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
    counts = [0] * BINS
    for value in values:
        counts[min(BINS - 1, int(math.log(value / low) / math.log(ratio)))] += 1
    expected = [
        found.noise_density((left + right) / 2) * (right - left) * found.dims
        for left, right in pairwise(bounds)
    ]
    middles = tuple(math.sqrt(left * right) for left, right in pairwise(bounds))
    law = tuple(min(value, 2.0 * max(counts)) for value in expected)  # one steep bin would hide the rest
    return Curves(
        (
            Series("eigenvalues", middles, tuple(map(float, counts)), style="columns"),
            Series("noise alone (Marchenko–Pastur)", middles, law, "meaning", "dots"),
        ),
        "eigenvalue",
        f"eigenvalues per bin · {found.texts:,} texts, {found.dims:,} dimensions",
        (f"noise ends at {found.edge:.2f}", found.edge),
        log_x=True,
    )


def boundary(found: domain.Boundary) -> Curves:
    """The documents in the order of the Fiedler vector, and its sign change."""
    order = found.order
    places = _places(len(order), found.parts[0] if found.parts else 0)
    turn = next((number for number, value in enumerate(order) if value >= 0), 0)
    edge = ("boundary", (places[turn - 1] + places[turn]) / 2) if turn else None
    series = (Series("Fiedler vector", places, order, "meaning"),)
    return Curves(series, "documents in its order", "value", edge)


def world(found: domain.Map) -> Map:
    """The map: letters for the largest communities, dots for the rest."""
    named = dict(zip((region.community for region in found.regions), LETTERS, strict=False))
    rest = [place for place in found.places if place.community not in named]
    groups = []
    if rest:
        size = found.documents - sum(region.size for region in found.regions[: len(LETTERS)])
        groups.append(_group("·", "others", "", max(size, len(rest)), rest))
    for number, (region, letter) in enumerate(zip(found.regions, LETTERS, strict=False)):
        places = [place for place in found.places if place.community == region.community]
        groups.append(_group(letter, region.label, FAMILIES[number % len(FAMILIES)], region.size, places))
    return Map(tuple(groups))


def _group(letter: str, name: str, colour: str, size: int, places: Sequence[domain.Place]) -> Group:
    x, y = tuple(place.x for place in places), tuple(place.y for place in places)
    return Group(letter, clean(name), colour, x, y, size)


def _ranks(name: str, curve: Sequence[float], documents: int, colour: str) -> Curves:
    """A curve over ranks, logarithmic if it spans more than a decade."""
    above = [value for value in curve if value > 0]
    steep = bool(above) and math.log10(max(above) / min(above)) > 1
    points = [
        (x, y) for x, y in zip(_places(len(curve), documents), curve, strict=True) if y > 0 or not steep
    ]
    series = Series(name, tuple(x for x, _ in points), tuple(y for _, y in points), colour)
    return Curves((series,), "documents, best first", name, log_y=steep)


def _places(drawn: int, of: int) -> tuple[float, ...]:
    """The ranks of `drawn` values sampled evenly from `of`, including both ends."""
    step = (max(of, drawn) - 1) / (drawn - 1) if drawn > 1 else 1.0
    return tuple(1 + number * step for number in range(drawn))


# -- all measures --------------------------------------------------------------------------------------


MEASURES: tuple[Measure, ...] = (
    Measure(
        "Summary", "your notes on one screen",
        ("novelty", "foundations", "communities", "gaps", "activity"), _summary,
        "Start here; the measures below show each line in detail. Bars: documents.",
    ),
    Measure(
        "Spectrum", "directions above noise, and novel documents", ("novelty",), _spectrum,
        "Bars right of the line are structure; dots show noise alone.",
    ),
    Measure(
        "Centrality", "documents that many others lead to", ("foundations",), _centrality,
        "A steep start: a few documents connect the rest.",
    ),
    Measure(
        "Bridges", "documents between communities", ("bridges",), _bridges,
        "The first ones lie on most of the shortest paths.",
    ),
    Measure(
        "Boundary", "where your notes split in two", ("boundary",), _boundary,
        "A step is a boundary; a ramp is not.",
    ),
    Measure(
        "Map", "similar documents side by side", ("map", "communities"), _map,
        "Neighbors are similar; distances and sizes mean nothing.",
    ),
    Measure(
        "Gaps", "similar, not linked", ("gaps", "communities"), _gaps,
        "Each bar counts the links that two similar communities lack.",
    ),
    Measure(
        "Audit", "documents that no search finds", ("audit",), _audit,
        "Each bar is a cause.",
    ),
    Measure(
        "Activity", "documents by date", ("activity",), _activity,
        "Each column counts the documents of a span of time.",
    ),
)  # fmt: skip
