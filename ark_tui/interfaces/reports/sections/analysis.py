"""The shape of the corpus: what each measure of it shows, as in the workbench."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ark_tui.domain.analysis import Activity, Analysis
from ark_tui.interfaces.reports import charts
from ark_tui.interfaces.reports.measures import MEASURES, Measure, View
from ark_tui.interfaces.reports.report import Block, Figure, facts, paragraph, table
from ark_tui.interfaces.reports.sections import Asked

if TYPE_CHECKING:
    from ark_tui.engine import Engine

AUDIT = "Audit"
"""The measure that has a report of its own."""

COLUMNS = {"title": str, "path": str, "why": str, "collection": str, "id": str}


def blocks(engine: Engine, asked: Asked) -> Iterator[Block]:
    wanted = dict.fromkeys(what for one in MEASURES if one.name != AUDIT for what in one.what)
    yield from shape(engine.analysis.run(list(wanted), stop=asked.stop, progress=asked.progress))


def shape(found: Analysis) -> Iterator[Block]:
    """All measures but the audit, and searches and accesses over time."""
    views = [(measure, measure.view(found)) for measure in MEASURES if measure.name != AUDIT]
    for notice in dict.fromkeys(view.notice for _, view in views if view.notice):
        yield paragraph(notice)
    for measure, view in views:
        yield from measured(measure, view)
    activity = found.activity or Activity()
    if any(one.searches for one in activity.periods):
        yield Figure("searches", "Searches over time", charts.active(activity, "searches"))
    if any(one.accesses for one in activity.periods):
        about = "Hits that were opened, copied or cited."
        yield Figure("accesses", "Use over time", charts.active(activity, "accesses"), about)


def measured(measure: Measure, view: View) -> Iterator[Block]:
    """What a measure shows: facts, a chart, and its documents."""
    name = measure.name.lower()
    yield facts(*view.facts)
    if view.chart is not None:
        about = ". ".join(part for part in (measure.about.capitalize(), view.said, measure.read) if part)
        yield Figure(name, measure.name, view.chart, about)
    if view.rows:
        rows = [(one.called, one.path, why, one.collection, one.id) for one, why in view.rows]
        title = f"{measure.name}: documents"
        yield table(f"{name}-documents", title, COLUMNS, rows, hidden=("collection", "id"))
