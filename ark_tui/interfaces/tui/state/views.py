"""What the analysis pane shows of each measure: a chart, a sentence, and the documents it is about."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce
from math import hypot

from ark_tui.domain.analysis import Analysis, Novel, What
from ark_tui.domain.documents import Document
from ark_tui.domain.wording import counted
from ark_tui.interfaces.reports import figures, spans
from ark_tui.interfaces.reports.charts import Chart, Map

Row = tuple["Document", str]
"""A document, and why it is listed."""


@dataclass(frozen=True, slots=True)
class View:
    """A measure taken: `chart` is None where there is nothing to draw."""

    chart: Chart | None
    said: str
    rows: tuple[Row, ...] = ()
    points: tuple[tuple[float, float], ...] = ()  # of a map: where each row is

    def pointing(self, row: int) -> Chart | None:
        """The chart with the place of a row marked, if it is a map."""
        if isinstance(self.chart, Map) and row < len(self.points):
            return replace(self.chart, here=self.points[row])
        return self.chart

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


def _spectrum(found: Analysis) -> View:
    one = found.novelty
    assert one is not None
    spectrum = one.spectrum
    directions = f"{spectrum.outside} of {len(spectrum.eigenvalues)} directions rise above noise"
    said = directions if spectrum.texts else ""
    rows = tuple((novel.document, _novel(novel)) for novel in one.documents)
    return View(figures.spectrum(spectrum) if spectrum.eigenvalues else None, _joined(said, one.notice), rows)


def _novel(one: Novel) -> str:
    """`novel 12.3 eigenvalue, gap`."""
    return f"{'novel' if one.novel else 'apart'} {one.score:.1f} {', '.join(one.terms[:3])}"


def _centrality(found: Analysis) -> View:
    one, documents = found.foundations, found.graph.documents
    assert one is not None
    rows = tuple((a.document, f"{a.score:.4f} linked by {a.linked_by}, near {a.near}") for a in one.documents)
    chart = figures.foundations(one, documents) if one.curve else None
    return View(chart, _joined("what much leads to: PageRank", one.notice), rows)


def _bridges(found: Analysis) -> View:
    one, documents = found.bridges, found.graph.documents
    assert one is not None
    rows = tuple((a.document, f"{a.score:.4f} {' – '.join(a.between[:2])}") for a in one.documents)
    chart = figures.bridges(one, documents) if one.curve else None
    return View(chart, _joined("what shortest ways run through: betweenness", one.notice), rows)


def _boundary(found: Analysis) -> View:
    one = found.boundary
    assert one is not None
    rows = [(document, "on the boundary") for document in one.at_boundary]
    for number, side in enumerate(one.sides, 1):
        rows += [(document, f"side {number}: {', '.join(side.terms[:3])}") for document in side.documents]
    said = f"{one.crossing} of {one.edges} edges cross it" if one.edges else ""
    return View(figures.boundary(one) if len(one.order) > 1 else None, _joined(said, one.notice), tuple(rows))


def _map(found: Analysis) -> View:
    one, groups = found.map, found.communities
    assert one is not None
    labels = {group.id: group.label for group in (groups.communities if groups else ())}
    places = sorted(one.places, key=lambda place: place.community or len(labels) + 1)
    rows = tuple((place.document, labels.get(place.community, "by itself")) for place in places)
    points = tuple((place.x, place.y) for place in places)
    said = "letters are communities; what is near is alike" if places else ""
    return View(figures.world(one) if places else None, _joined(said, one.notice), rows, points)


def _gaps(found: Analysis) -> View:
    one = found.gaps
    assert one is not None
    rows = tuple(
        (
            document,
            f"{gap.a.label} – {gap.b.label}: {counted(gap.links, 'link')}, {gap.expected:.1f} expected",
        )
        for gap in one.gaps
        for document in gap.pair
    )
    count = len(one.gaps)
    said = f"{count} of {one.considered} near pairs of communities hardly know each other"
    communities = found.communities
    chart = figures.communities(communities) if communities and communities.communities else None
    return View(chart, _joined(said if one.considered else "", one.notice), rows)


def _audit(found: Analysis) -> View:
    one = found.audit
    assert one is not None
    rows = tuple((unfound.document, f"{unfound.cause}: {unfound.detail}") for unfound in one.unfound)
    said = f"{one.found} of {one.asked} are found by their own words" if one.asked else ""
    return View(figures.audit(one) if one.causes else None, _joined(said, one.notice), rows)


def _activity(found: Analysis) -> View:
    one = found.activity
    assert one is not None
    total = sum(period.added for period in one.periods)
    chart = spans.active(one, "added") if one.periods else None
    return View(
        chart, _joined(f"{counted(total, 'document')} added, by {one.bucket}" if total else "", one.notice)
    )


MEASURES: tuple[Measure, ...] = (
    Measure("Spectrum", "directions above noise, and what is novel", ("novelty",), _spectrum),
    Measure("Centrality", "what much leads to", ("foundations",), _centrality),
    Measure("Bridges", "what lies between", ("bridges",), _bridges),
    Measure("Boundary", "where it comes apart", ("boundary",), _boundary),
    Measure("Map", "what is near what", ("map", "communities"), _map),
    Measure("Gaps", "near, and hardly linked", ("gaps", "communities"), _gaps),
    Measure("Audit", "what no search finds", ("audit",), _audit),
    Measure("Activity", "what was added when", ("activity",), _activity),
)


def _joined(*said: str) -> str:
    """What there is of these; the steps of a hint are still steps."""
    first, *others = [one for one in said if one] or [""]
    return reduce(lambda before, one: before + " · " + one, others, first)
