"""The structure of the corpus: novel, foundational and bridging documents, boundaries, gaps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ark_tui.domain import analysis as domain
from ark_tui.domain.wording import counted
from ark_tui.interfaces.reports import charts, figures
from ark_tui.interfaces.reports.report import (
    COLLECTION,
    ID,
    PATH,
    TITLE,
    Block,
    Column,
    Figure,
    Section,
    facts,
    listed,
    paragraph,
    table,
)
from ark_tui.interfaces.reports.sections import Asked

if TYPE_CHECKING:
    from ark_tui.domain.documents import Document
    from ark_tui.engine import Engine

MEASURES: tuple[domain.What, ...] = (
    *("novelty", "foundations", "bridges", "boundary", "communities", "map", "gaps", "activity"),
)


def build(engine: Engine, asked: Asked) -> Section:
    found = engine.analysis.run(MEASURES, stop=asked.stop, progress=asked.progress)
    return Section("analysis", "Analysis", tuple(dict.fromkeys(_blocks(found))))  # without duplicate blocks


def _blocks(found: domain.Analysis) -> Iterator[Block]:
    many = found.graph.documents
    yield _graph(found)
    yield from _map(found.map) if found.map else ()
    yield from _communities(found.communities) if found.communities else ()
    yield from _novelty(found.novelty) if found.novelty else ()
    yield from _foundations(found.foundations, many) if found.foundations else ()
    yield from _bridges(found.bridges, many) if found.bridges else ()
    yield from _boundary(found.boundary, many) if found.boundary else ()
    yield from _gaps(found.gaps) if found.gaps else ()
    yield from _activity(found.activity) if found.activity else ()


def _graph(found: domain.Analysis) -> Block:
    graph = found.graph
    near = f"{graph.similar:,} pairs near in meaning, {graph.links:,} pairs linked"
    return facts(
        ("Documents", f"{graph.documents:,}" if graph.documents else ""),
        ("Neighbour graph", f"{near}, {graph.k} neighbours each" if graph.documents else ""),
        ("Measured recall", "" if graph.recall is None else f"{graph.recall:.3f} of the nearest neighbours"),
        ("Without a vector", counted(graph.without_vector, "document") if graph.without_vector else ""),
        ("Vectors of", found.model),
    )


def _map(found: domain.Map) -> Iterator[Block]:
    yield from _said(found.notice)
    if found.places:
        yield Figure(
            "map",
            "Map",
            "Each dot is a document; its letter and color name the community. "
            "Near dots are alike; the distance between far ones means little.",
            figures.world(found),
        )


def _communities(found: domain.Communities) -> Iterator[Block]:
    yield from _said(found.notice)
    if found.alone:
        belong, near = ("belongs", "it") if found.alone == 1 else ("belong", "them")
        yield paragraph(
            f"{counted(found.alone, 'document')} {belong} to no community: nothing is similar to {near}."
        )
    yield listed(
        "communities",
        "Communities",
        [
            Column("id", "No.", "count"),
            Column("label", "Community"),
            Column("size", "Documents", "count"),
            Column("terms", "Typical terms"),
            Column("documents", "Most central", longest=400, of=lambda one: _titles(one.documents[:3])),
        ],
        found.communities,
        f"Modularity {found.modularity:.3f} at resolution {found.resolution:g}.",
    )


def _novelty(found: domain.Novelty) -> Iterator[Block]:
    spectrum = found.spectrum
    yield from _said(found.notice)
    if (histogram := figures.histogram(spectrum)) is not None:
        yield Figure(
            "spectrum",
            "Spectrum",
            f"Eigenvalues of the correlation matrix of {spectrum.texts:,} texts in {spectrum.dims} columns, "
            f"and how many noise alone would have (Marchenko and Pastur). Noise ends at {spectrum.edge:.2f}; "
            f"{spectrum.outside} lie above {spectrum.threshold:.2f}, more than chance explains.",
            histogram,
        )
    limit = "" if found.limit is None else f"A score above {found.limit:.2f} is novel. "
    yield listed(
        "novel",
        "Novel documents",
        [
            TITLE,
            PATH,
            Column("reason", "Why", "short"),
            Column("score", "Score", "number", 2),
            Column("novel", "Novel", "yes"),
            Column("shared_by", "Shared by", "count"),
            Column("terms", "Own terms"),
            COLLECTION,
            ID,
        ],
        found.documents,
        f"{limit}Shared by: how many other texts deviate in the same direction.",
        none="No document is novel." if spectrum.eigenvalues else "",
    )


def _foundations(found: domain.Foundations, many: int) -> Iterator[Block]:
    yield from _said(found.notice)
    yield listed(
        "foundations",
        "Foundational documents",
        [
            TITLE,
            PATH,
            Column("score", "PageRank", "number", 4),
            Column("linked_by", "Linked by", "count"),
            Column("near", "Near", "count"),
            COLLECTION,
            ID,
        ],
        found.documents,
    )
    if len(found.curve) > 1:
        yield Figure(
            "pagerank",
            "PageRank of all documents",
            "A steep start: links lead to a few documents.",
            figures.foundations(found, many),
        )


def _bridges(found: domain.Bridges, many: int) -> Iterator[Block]:
    yield from _said(found.notice)
    exact = "" if found.exact else f"Estimated from the shortest paths of {found.pivots:,} documents."
    between = Column("between", "Between", of=lambda one: " – ".join(one.between))
    yield listed(
        "bridges",
        "Bridges",
        [TITLE, PATH, Column("score", "Betweenness", "number", 4), between, COLLECTION, ID],
        found.documents,
        exact,
        none=exact,
    )
    if len(found.curve) > 1:
        yield Figure(
            "betweenness",
            "Betweenness of all documents",
            "How many of the shortest paths run through each.",
            figures.bridges(found, many),
        )


def _boundary(found: domain.Boundary, many: int) -> Iterator[Block]:
    yield from _said(found.notice)
    if found.value is None:
        return
    yield facts(
        ("Fiedler value", f"{found.value:.4f}, ± {found.residual:.1g}"),
        ("Links across", f"{found.crossing:,} of {found.edges:,}"),
        ("Connected parts", ", ".join(f"{size:,}" for size in found.parts[:10])),
    )
    if len(found.order) > 1:
        yield Figure(
            "fiedler",
            "Where the notes split in two",
            "The documents in the order of the Fiedler vector: a step is a boundary, a slope is not.",
            figures.boundary(found, many),
        )
    yield table(
        "sides",
        "The two sides",
        [
            Column("side", "Side", "count"),
            Column("size", "Documents", "count"),
            Column("terms", "Typical terms"),
            Column("documents", "Most typical", longest=500),
        ],
        [
            (number, side.size, ", ".join(side.terms), _titles(side.documents[:5]))
            for number, side in enumerate(found.sides, start=1)
        ],
    )
    yield listed("at_boundary", "At the boundary", [TITLE, PATH, COLLECTION, ID], found.at_boundary)


def _gaps(found: domain.Gaps) -> Iterator[Block]:
    yield from _said(found.notice)
    if found.gaps:
        yield Figure(
            "lacking",
            "Links that are lacking",
            "How many links each pair of similar communities lacks, if links followed size alone.",
            figures.gaps(found),
        )
    near = f"None among {found.considered:,} similar pairs of communities."
    yield listed(
        "gaps",
        "Gaps",
        [
            Column("a", "One community", of=lambda one: one.a.label),
            Column("b", "The other", of=lambda one: one.b.label),
            Column("closeness", "Closeness", "number", 2),
            Column("links", "Links", "count"),
            Column("expected", "Expected", "number", 1),
            Column("pair", "Nearest pair", of=lambda one: _titles(one.pair, " – ")),
        ],
        found.gaps,
        "Similar, not linked: consider writing what connects them.",
        none=near if found.considered else "",
    )


def _activity(found: domain.Activity) -> Iterator[Block]:
    yield from _said(found.notice)
    if found.dated:
        without = f" Without one: {counted(found.undated, 'document')}." if found.undated else ""
        yield Figure(
            "over_time_dated",
            "Documents by their own dates",
            f"How many documents have a date of their own, by {found.dated_bucket}.{without}",
            figures.dated(found),
        )
    kinds: tuple[tuple[figures.What, str, str], ...] = (
        ("added", "Indexed over time", "documents were first indexed"),
        ("changed", "Changed over time", "documents were last changed"),
        ("searches", "Searches over time", "searches were run"),
        ("accesses", "Use over time", "hits were opened, copied or cited"),
    )
    for what, title, about in kinds:
        chart = figures.active(found, what)
        if any(bar.total for bar in chart.bars) if isinstance(chart, charts.Bars) else any(chart.counts):
            yield Figure(f"over_time_{what}", title, f"How many {about}, by {found.bucket}.", chart)


def _said(notice: str) -> Iterator[Block]:
    if notice:
        yield paragraph(notice)


def _titles(documents: Iterable[Document], between: str = "; ") -> str:
    return between.join(document.called for document in documents)
