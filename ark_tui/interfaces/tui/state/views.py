"""What the analysis pane shows of each measure: a chart, a sentence, and the documents it is about."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import hypot

from ark_tui.domain.analysis import Activity, Analysis, Novel, What
from ark_tui.domain.documents import Document
from ark_tui.domain.wording import counted
from ark_tui.interfaces.reports import figures
from ark_tui.interfaces.reports.charts import Chart, Heat, Map

Row = tuple["Document", str]
"""A document, and why it is listed."""


@dataclass(frozen=True, slots=True)
class View:
    """A measure taken: `chart` is None where there is nothing to draw."""

    chart: Chart | None
    said: str
    rows: tuple[Row, ...] = ()
    points: tuple[tuple[float, float], ...] = ()  # of a map: where each row is
    notice: str = ""  # what it cannot say of this corpus
    pairs: tuple[tuple[int, int], ...] = ()  # of a table: whose row and column each row is about
    read: str = ""  # how to read it, where that differs from the measure's own text
    facts: tuple[tuple[str, str], ...] = ()  # names and values above the chart

    def pointing(self, row: int) -> Chart | None:
        """The chart with the place of a row marked, if it is a map or a table."""
        if isinstance(self.chart, Map) and row < len(self.points):
            return replace(self.chart, here=self.points[row])
        if isinstance(self.chart, Heat) and self.chart.here is None and row < len(self.pairs):
            return replace(self.chart, here=self.pairs[row])
        return self.chart

    def under_lens(self, times: int, row: int) -> View:
        """A map so many times as large, around the place of a row; the rows there, the nearest first."""
        if times <= 1 or not isinstance(self.chart, Map) or not self.points:
            return self
        x, y = self.points[min(row, len(self.points) - 1)]
        left, right, low, high = self.chart.box
        wide, tall = (right - left) / times / 2, (high - low) / times / 2
        inside = sorted(
            (hypot((across - x) / (wide or 1.0), (up - y) / (tall or 1.0)), number)
            for number, (across, up) in enumerate(self.points)
            if abs(across - x) <= wide and abs(up - y) <= tall
        )
        return replace(
            self,
            chart=replace(self.chart, lens=(x - wide, x + wide, y - tall, y + tall)),
            said=f"{times} × · {counted(len(inside), 'document')} of {len(self.rows):,} under the lens",
            rows=tuple(self.rows[number] for _, number in inside),
            points=tuple(self.points[number] for _, number in inside),
        )

    def nearest(self, x: float, y: float) -> int:
        """The row whose place is nearest to a point of the map."""
        away = [hypot(across - x, up - y) for across, up in self.points]
        return away.index(min(away))


@dataclass(frozen=True, slots=True)
class Measure:
    """A row of the list: its name, what the engine is asked for, and what that looks like."""

    name: str
    about: str
    what: tuple[What, ...]
    view: Callable[[Analysis], View]
    read: str  # how to read its picture


def _spectrum(found: Analysis) -> View:
    one = found.novelty
    assert one is not None
    spectrum = one.spectrum
    directions = f"{spectrum.outside} of {len(spectrum.eigenvalues)} directions rise above noise"
    said = directions if spectrum.texts else ""
    rows = tuple((novel.document, _novel(novel)) for novel in one.documents)
    return View(figures.histogram(spectrum), said, rows, notice=one.notice)


def _novel(one: Novel) -> str:
    """`novel 12.3 eigenvalue, gap`."""
    return f"{'novel' if one.novel else 'apart'} {one.score:.1f} {', '.join(one.terms[:3])}"


def _centrality(found: Analysis) -> View:
    one, documents = found.foundations, found.graph.documents
    assert one is not None
    rows = tuple((a.document, f"{a.score:.4f} linked by {a.linked_by}, near {a.near}") for a in one.documents)
    chart = figures.foundations(one, documents) if one.curve else None
    return View(chart, "PageRank", rows, notice=one.notice)


def _bridges(found: Analysis) -> View:
    one, documents = found.bridges, found.graph.documents
    assert one is not None
    rows = tuple((a.document, f"{a.score:.4f} {' – '.join(a.between[:2])}") for a in one.documents)
    chart = figures.bridges(one, documents) if one.curve else None
    return View(chart, "betweenness", rows, notice=one.notice)


def _boundary(found: Analysis) -> View:
    one = found.boundary
    assert one is not None
    rows = [(document, "on the boundary") for document in one.at_boundary]
    for number, side in enumerate(one.sides, 1):
        rows += [(document, f"side {number}: {', '.join(side.terms[:3])}") for document in side.documents]
    said = f"{one.crossing:,} of {one.edges:,} edges cross it" if one.edges else ""
    return View(figures.boundary(one) if len(one.order) > 1 else None, said, tuple(rows), notice=one.notice)


def _map(found: Analysis) -> View:
    one, groups = found.map, found.communities
    assert one is not None
    labels = {group.id: group.label for group in (groups.communities if groups else ())}
    places = sorted(one.places, key=lambda place: place.community or len(labels) + 1)
    rows = tuple((place.document, labels.get(place.community, "by itself")) for place in places)
    points = tuple((place.x, place.y) for place in places)
    said = f"{len(places):,} of {counted(one.documents, 'document')} drawn" if places else ""
    return View(figures.world(one) if places else None, said, rows, points, one.notice)


def _gaps(found: Analysis) -> View:
    one = found.gaps
    assert one is not None
    rows = tuple(
        (document, f"{_links(gap.links, gap.expected)} · {gap.a.label} – {gap.b.label}")
        for gap in one.gaps
        for document in gap.pair
    )
    chart = figures.crossings(one)
    at = {name: number for number, name in enumerate(chart.names if chart is not None else ())}
    pairs = tuple((at.get(gap.a.label, -1), at.get(gap.b.label, -1)) for gap in one.gaps for _ in gap.pair)
    count = len(one.gaps)
    said = f"{count} of {one.considered} near pairs of communities hardly know each other"
    return View(chart, said if one.considered else "", rows, notice=one.notice, pairs=pairs)


def _links(seen: int, expected: float) -> str:
    return f"{counted(seen, 'link')}, {expected:.1f} expected"


def _audit(found: Analysis) -> View:
    one = found.audit
    assert one is not None
    rows = tuple((unfound.document, f"{unfound.cause}: {unfound.detail}") for unfound in one.unfound)
    said = f"{one.found} of {one.asked} are found by their own words" if one.asked else ""
    return View(figures.audit(one) if one.causes else None, said, rows, notice=one.notice)


def _activity(found: Analysis) -> View:
    one = found.activity
    assert one is not None
    if one.dated:
        total = sum(period.documents for period in one.dated)
        said = (
            f"{counted(total, 'document')} by their own dates, {one.undated:,} undated, by {one.dated_bucket}"
        )
        return View(figures.dated(one), said, notice=one.notice)
    total = sum(period.added for period in one.periods)
    said = f"{counted(total, 'document')} taken in, by {one.bucket}" if total else ""
    read = "The documents taken in then: none bears a date of its own."
    return View(figures.active(one, "added") if one.periods else None, said, notice=one.notice, read=read)


def _summary(found: Analysis) -> View:
    """The corpus on one screen: its size, what stands out of it, and its communities."""
    novelty, groups, first, gaps, activity = (
        found.novelty, found.communities, found.foundations, found.gaps, found.activity,
    )  # fmt: skip
    assert novelty is not None and groups is not None and first is not None  # noqa: PT018 - all were asked for
    assert gaps is not None and activity is not None  # noqa: PT018
    graph, spectrum = found.graph, novelty.spectrum
    if not graph.documents:
        return View(None, "", notice=groups.notice)
    parts = [
        (
            "Documents",
            f"{graph.documents:,}, {graph.similar:,} pairs near in meaning, {graph.links:,} linked",
        ),
        ("Dates", _span(activity)),
        (
            "Spectrum",
            f"{spectrum.outside} of {spectrum.dims} directions above noise, {spectrum.texts:,} texts",
        ),
        ("Novel", counted(novelty.count, "document")),
        ("Leads to", first.documents[0].document.called if first.documents else "nothing much"),
        ("Gaps", f"{len(gaps.gaps)} among {gaps.considered} near pairs of communities"),
        (
            "Communities",
            f"{len(groups.communities)}, modularity {groups.modularity:.2f}, {groups.alone} alone",
        ),
    ]
    named = {one.id: one.label for one in groups.communities}
    rows = [(one.document, f"much leads to it: PageRank {one.score:.4f}") for one in first.documents[:5]]
    rows += [(one.document, _novel(one)) for one in novelty.documents[:5] if one.novel]
    rows += [
        (one.documents[0], f"the middle of {named[one.id]}") for one in groups.communities if one.documents
    ]
    unique: dict[str, Row] = {}
    for row in rows:
        unique.setdefault(row[0].id, row)
    chart = figures.communities(groups)
    return View(chart, "", tuple(unique.values()), notice=groups.notice, facts=tuple(parts))


def _span(activity: Activity) -> str:
    """From when to when the documents' own dates reach."""
    dated = [one for one in activity.dated if one.documents]
    if not dated:
        return "no document bears one of its own"
    first, last = (figures.span_name(one.start, activity.dated_bucket) for one in (dated[0], dated[-1]))
    return f"{first} to {last}, {activity.undated:,} undated"


MEASURES: tuple[Measure, ...] = (
    Measure(
        "Summary", "the corpus on one screen",
        ("novelty", "foundations", "communities", "gaps", "activity"), _summary,
        "Begin here; each line has a measure of its own below. Bars: documents.",
    ),
    Measure(
        "Spectrum", "directions above noise, and what is novel", ("novelty",), _spectrum,
        "Bars right of the line are structure; dots show noise alone.",
    ),
    Measure(
        "Centrality", "what much leads to", ("foundations",), _centrality,
        "A steep beginning: few documents carry the rest.",
    ),
    Measure(
        "Bridges", "what lies between", ("bridges",), _bridges,
        "The first ones lie on most of the shortest ways.",
    ),
    Measure(
        "Boundary", "where it comes apart", ("boundary",), _boundary,
        "A step is a boundary, a ramp is none.",
    ),
    Measure(
        "Map", "what is near what", ("map", "communities"), _map,
        "Side by side is alike; distances and sizes say nothing.",
    ),
    Measure(
        "Gaps", "near, and hardly linked", ("gaps", "communities"), _gaps,
        "−− has less than a fifth of the links that chance would put.",
    ),
    Measure(
        "Audit", "what no search finds", ("audit",), _audit,
        "Each bar is a cause; what is found has none.",
    ),
    Measure(
        "Activity", "documents by date", ("activity",), _activity,
        "Each column counts the documents that bear such a date.",
    ),
)  # fmt: skip
