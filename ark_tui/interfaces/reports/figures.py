"""What the measures of a corpus look like: from the engine's answers to charts, for reports and panes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from ark_tui.domain import analysis as domain
from ark_tui.domain.documents import Document
from ark_tui.interfaces.reports import charts
from ark_tui.interfaces.reports.charts import Bars, Curves, Group, Heat, Histogram, Line, Map, Series
from ark_tui.interfaces.reports.text import clean, shortened

BINS = 40  # of the eigenvalues' histogram
STEPS = 16  # at which a law is taken in a bin
FIRST = 5  # names beside a curve of ranks
REGIONS = 12  # of a map, that get a letter of their own
STEEP = 20  # times the edge, from where on the largest eigenvalue needs a logarithmic axis
LEAST = 100  # parts of the edge, below which that axis shows nothing
LABEL = 28  # letters of a name


def spectrum(found: domain.Spectrum) -> Curves:
    """Eigenvalues by rank, and where those of pure noise would end."""
    steep = bool(found.eigenvalues) and found.eigenvalues[0] > STEEP * found.edge > 0
    shown = [value for value in found.eigenvalues if not steep or value > found.edge / LEAST]
    lines = (Line(f"noise ends at {found.edge:.2f}", found.edge),) if found.edge > 0 else ()
    return Curves((charts.curve("eigenvalues", shown),), "rank", "eigenvalue", lines, logarithmic=steep)


def histogram(found: domain.Spectrum) -> Histogram | None:
    """The eigenvalues in bins of equal ratio, beside how many Marchenko and Pastur's law has in each.

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
    return Histogram(
        tuple(bounds), tuple(counts), tuple(expected), "eigenvalues", "noise alone (Marchenko–Pastur)",
        "eigenvalue, by powers",
        f"n {found.texts:,}, d {found.dims:,}, n/d {found.texts / found.dims:.1f} · eigenvalues per bin",
        (Line(f"noise ends at {found.edge:.2f}", found.edge, upright=True),),
    )  # fmt: skip


def crossings(found: domain.Gaps) -> Heat | None:
    """Observed against expected links between the largest communities; None where nothing is linked."""
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
    return _ranks(
        "betweenness", found.curve, documents, "structure", [one.document for one in found.documents]
    )


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
    return charts.bars(
        [(shortened(community.label, LABEL), community.size) for community in found.communities], "structure"
    )


def world(found: domain.Map) -> Map:
    """The map: a letter for each of the largest communities, a dot for the rest."""
    if not found.places:
        return Map(())
    named = {region.community: region for region in found.regions[:REGIONS]}
    box = (
        min(place.x for place in found.places),
        max(place.x for place in found.places),
        min(place.y for place in found.places),
        max(place.y for place in found.places),
    )
    groups = []
    for number, (community, region) in enumerate(named.items()):
        places = [place for place in found.places if place.community == community]
        groups.append(_group(number, region.label, region.size, places, box))
    rest = [place for place in found.places if place.community not in named]
    if rest:
        size = found.documents - sum(region.size for region in named.values())
        group = _group(0, "others", max(size, len(rest)), rest, box)
        groups.insert(0, replace(group, letter="·", colour="faint"))
    return Map(tuple(groups))


def audit(found: domain.Audit) -> Bars:
    """Why documents are not found."""
    return charts.bars([(cause, count) for cause, count in found.causes.items()], "meaning")


def _group(
    number: int, name: str, size: int, places: Sequence[domain.Place], box: tuple[float, ...]
) -> Group:
    made = charts.group(number, name, [place.x for place in places], [place.y for place in places], box)
    return replace(made, size=size)


def _ranks(
    name: str, curve: Sequence[float], documents: int, colour: str, first: Sequence[Document]
) -> Curves:
    """A curve over ranks; logarithmic where it spans more than a decade."""
    above = [value for value in curve if value > 0]
    steep = bool(above) and math.log10(max(above) / min(above)) > 1
    x, y = charts.thinned(_places(len(curve), documents), curve)
    names = tuple(clean(document.called) for document in first[:FIRST])
    return Curves((Series(name, x, y, colour),), "documents, best first", name, (), steep, names)


def _places(drawn: int, of: int) -> list[float]:
    """The ranks of values that were drawn evenly from so many, both ends among them."""
    step = (max(of, drawn) - 1) / (drawn - 1) if drawn > 1 else 1.0
    return [1 + number * step for number in range(drawn)]
