"""What the measures of a corpus look like: from the engine's answers to charts, for reports and panes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from ark_tui.domain import analysis as domain
from ark_tui.interfaces.reports import charts
from ark_tui.interfaces.reports.charts import Bars, Curves, Group, Line, Map, Series
from ark_tui.interfaces.reports.text import shortened

BINS = 40  # of the eigenvalues' histogram
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


def density(found: domain.Spectrum) -> Curves:
    """How the eigenvalues near the noise are spread, beside the law that noise would follow.

    Empty where there are fewer texts than columns: most eigenvalues are then 0, and the law is of the rest.
    """
    inside = [value for value in found.eigenvalues if 0 < value <= 1.25 * found.edge]
    if len(inside) < 2 or found.texts <= found.dims:
        return Curves(())
    width = 1.25 * found.edge / BINS
    middles = [(number + 0.5) * width for number in range(BINS)]
    counts = [0] * BINS
    for value in inside:
        counts[min(BINS - 1, int(value / width))] += 1
    every = len(found.eigenvalues)
    seen = [count / every / width for count in counts]
    noise = [found.noise_density(value) for value in middles]
    return Curves(
        (
            Series("seen", tuple(middles), tuple(seen), "words", "o", dots=True),
            Series("noise alone", tuple(middles), tuple(noise), "meaning", "x"),
        ),
        "eigenvalue",
        "density",
        (Line("edge", found.edge, upright=True),),
    )


def foundations(found: domain.Foundations, documents: int = 0) -> Curves:
    """PageRank by rank. `documents`: how many the curve was drawn from."""
    return _ranks("PageRank", found.curve, documents, "words")


def bridges(found: domain.Bridges, documents: int = 0) -> Curves:
    """Betweenness by rank."""
    return _ranks("betweenness", found.curve, documents, "structure")


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


def _ranks(name: str, curve: Sequence[float], documents: int, colour: str) -> Curves:
    """A curve over ranks; logarithmic where it spans more than a decade."""
    above = [value for value in curve if value > 0]
    steep = bool(above) and math.log10(max(above) / min(above)) > 1
    x, y = charts.thinned(_places(len(curve), documents), curve)
    return Curves((Series(name, x, y, colour),), "documents, best first", name, (), steep)


def _places(drawn: int, of: int) -> list[float]:
    """The ranks of values that were drawn evenly from so many, both ends among them."""
    step = (max(of, drawn) - 1) / (drawn - 1) if drawn > 1 else 1.0
    return [1 + number * step for number in range(drawn)]
