"""Documents by kind and time, the state of the indexes, and the files that were skipped, with the reasons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from typing import TYPE_CHECKING

from ark_tui.domain.wording import counted, covered
from ark_tui.engine import health
from ark_tui.interfaces.reports import charts
from ark_tui.interfaces.reports.report import Block, Figure, facts, paragraph, table
from ark_tui.interfaces.reports.sections import Asked
from ark_tui.interfaces.reports.text import shortened

if TYPE_CHECKING:
    from ark_tui.domain.library import Overview
    from ark_tui.domain.work import FollowerState
    from ark_tui.engine import Engine

LONGEST = 24  # letters of a label in a figure

SOURCES = {
    "front matter": "front matter",
    "properties": "the file's properties",
    "file name": "the file's name",
    "modified": "when the file was saved",
    "given": "given with the text",
    "none": "none",
}

NEWEST = {"date": date, "title": str, "collection": str, "path": str, "id": str}


def blocks(engine: Engine, asked: Asked) -> Iterator[Block]:
    found, activity = health.overview(engine), engine.analysis.run(["activity"], stop=asked.stop).activity
    state, model = found.status, found.status.embedding
    sizes = {one.name: one.documents for one in state.collections if one.documents or one.root}
    if not state.documents:
        yield paragraph("Nothing is indexed yet. `ark-tui index FOLDER` indexes a folder.")
    yield facts(
        ("Documents", f"{state.documents:,} in {counted(len(sizes), 'collection')}"),
        ("Chunks", f"{state.chunks:,}, {found.tokens:,} tokens in all"),
        ("Files", covered(state.coverage)),
        ("Model", model.problem or f"{model.provider} {model.model}, {model.dims} dimensions"),
        *((f"Index of {follower.name}", _follower(follower)) for follower in state.followers),
    )
    if sizes:
        yield _bars("sizes", "Documents by collection", sizes)
    if activity and any(period.added for period in activity.periods):
        about = "When the documents of today were first indexed."
        yield Figure("added", "Indexed over time", charts.active(activity, "added"), about)
    if activity and activity.dated:
        yield Figure("dated", "Documents by their own date", charts.dated(activity))
    yield from _kinds(found)
    newest = [(one.date, one.called, one.collection, one.path, one.id) for one in found.newest]
    yield table("newest", "Newest documents", NEWEST, newest)
    yield table(
        "files",
        "Skipped and failed files",
        {"collection": str, "path": str, "state": str, "reason": str},
        [(one.collection, one.path, one.state, one.reason) for one in state.rows],
        none="Every known file is indexed.",
    )


def _follower(state: FollowerState) -> str:
    if state.problem:
        return state.problem
    return f"{counted(state.behind, 'change')} behind" if state.behind else "up to date"


def _bars(name: str, title: str, sizes: Mapping[str, int]) -> Figure:
    return Figure(
        name, title, charts.bars([(shortened(one, LONGEST), count) for one, count in sizes.items()])
    )


def _kinds(found: Overview) -> Iterator[Block]:
    kinds = (("tiers", "Tiers", found.tiers), ("types", "Types", found.types), ("tags", "Tags", found.tags))
    yield from (_bars(name, title, sizes) for name, title, sizes in kinds if len(sizes) > 1)
    sources = [(SOURCES.get(name, name), count) for name, count in found.date_sources.items()]
    yield table("dates", "Where dates come from", {"source": str, "documents": int}, sources)
    yield table(
        "links",
        "Links",
        {"relation": str, "links": int, "resolved": int},
        [(name, every, resolved) for name, (resolved, every) in found.relations.items()],
        none="No document links to another.",
    )
