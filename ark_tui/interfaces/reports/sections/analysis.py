"""The shape of the corpus: what each measure of it shows, as in the workbench."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ark_tui.domain import analysis as domain
from ark_tui.interfaces.reports import charts, figures
from ark_tui.interfaces.reports.measures import MEASURES, Measure
from ark_tui.interfaces.reports.report import Block, Column, Figure, Section, facts, listed, paragraph
from ark_tui.interfaces.reports.sections import Asked

if TYPE_CHECKING:
    from ark_tui.engine import Engine

AUDIT = "Audit"
"""The measure that has a report of its own."""

COLUMNS = (
    Column("title", "Title", of=lambda row: row[0].called),
    Column("path", "Place", of=lambda row: row[0].path),
    Column("why", "Why", of=lambda row: row[1]),
    Column("collection", "Collection", shown=False, of=lambda row: row[0].collection),
    Column("id", "Id", shown=False, of=lambda row: row[0].id),
)


def build(engine: Engine, asked: Asked) -> Section:
    measures = [one for one in MEASURES if one.name != AUDIT]
    wanted = dict.fromkeys(what for one in measures for what in one.what)
    found = engine.analysis.run(list(wanted), stop=asked.stop, progress=asked.progress)
    return Section("analysis", "Analysis", tuple(_blocks(found)))


def _blocks(found: domain.Analysis) -> Iterator[Block]:
    notices: set[str] = set()  # several measures may say the same
    for measure in MEASURES:
        if measure.name != AUDIT:
            for block in measured(measure, found):
                text = getattr(block, "text", "")
                if not text or text not in notices:
                    yield block
                notices.add(text)
    yield from _usage(found.activity or domain.Activity())


def measured(measure: Measure, found: domain.Analysis) -> Iterator[Block]:
    """What a measure shows: facts, a chart, and its documents."""
    view, name = measure.view(found), measure.name.lower()
    if view.notice:
        yield paragraph(view.notice)
    yield facts(*view.facts)
    if view.chart is not None:
        about = ". ".join(part for part in (measure.about.capitalize(), view.said) if part)
        yield Figure(name, measure.name, f"{about}. {view.read or measure.read}", view.chart)
    if view.rows:
        yield listed(f"{name}-documents", f"{measure.name}: documents", COLUMNS, view.rows)


def _usage(found: domain.Activity) -> Iterator[Block]:
    """What was indexed, changed, searched for and used over time."""
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
