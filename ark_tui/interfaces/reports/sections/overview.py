"""Documents by kind and time, the state of the indexes, and the files that were skipped, with the reasons."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ark_tui.domain.wording import counted, covered
from ark_tui.engine import health
from ark_tui.interfaces.reports import charts, figures
from ark_tui.interfaces.reports.report import (
    FILE,
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
from ark_tui.interfaces.reports.text import shortened

if TYPE_CHECKING:
    from ark_tui.domain.analysis import Activity
    from ark_tui.domain.library import Overview
    from ark_tui.domain.work import CollectionInfo, FollowerState, Status
    from ark_tui.engine import Engine

FILES = 20  # skipped files that are shown
LONGEST = 24  # letters of a label in a figure

SOURCES = {
    "front matter": "front matter",
    "properties": "the file's properties",
    "file name": "the file's name",
    "modified": "when the file was saved",
    "given": "given with the text",
    "none": "none",
}


def build(engine: Engine, asked: Asked) -> Section:
    activity = engine.analysis.run(["activity"], stop=asked.stop).activity
    return Section("overview", "Overview", tuple(_blocks(health.overview(engine), activity)))


def _blocks(found: Overview, activity: Activity | None) -> Iterator[Block]:
    state = found.status
    yield paragraph(_summary(found))
    yield facts(
        ("Documents", f"{state.documents:,}"),
        ("Chunks", f"{state.chunks:,}, {found.tokens:,} tokens in all"),
        ("Files", covered(state.coverage)),
        ("Model", state.embedding.problem or _model(found)),
        *((f"Index of {follower.name}", _follower(follower)) for follower in state.followers),
    )
    yield Figure(
        "sizes",
        "Documents by collection",
        "How many documents each collection has.",
        charts.bars([(shortened(one.name, LONGEST), one.documents) for one in _filled(state)]),
    )
    yield listed(
        "collections",
        "Collections",
        [
            Column("name", "Collection"),
            Column("documents", "Documents", "count"),
            Column("chunks", "Chunks", "count"),
        ],
        _filled(state),
    )
    yield from _times(activity)
    yield from _kinds(found)
    yield listed(
        "newest",
        "Newest documents",
        [
            Column("date", "Date", "date"),
            TITLE,
            Column("collection", "Collection"),
            PATH,
            Column(
                "date_source",
                "Dated by",
                shown=False,
                of=lambda one: SOURCES.get(one.date_source, one.date_source),
            ),
            ID,
        ],
        found.newest,
    )
    yield listed(
        "files",
        "Skipped and failed files",
        FILE,
        state.rows,
        none="Every known file is indexed.",
        limit=FILES,
    )


def _summary(found: Overview) -> str:
    state = found.status
    if not state.documents:
        return "Nothing is indexed yet. `ark-tui index FOLDER` indexes a folder."
    named = len([collection for collection in state.collections if collection.documents])
    words = [f"{counted(state.documents, 'document')} in {counted(named, 'collection')}"]
    if left := state.coverage.get("skipped", 0) + state.coverage.get("failed", 0):
        words.append(f"{counted(left, 'file')} skipped, with the reasons below")
    if waiting := state.coverage.get("waiting", 0):
        words.append(f"{waiting:,} waiting for vectors")
    return "; ".join(words) + "."


def _filled(state: Status) -> list[CollectionInfo]:
    """The collections with documents or a folder; all of them if there are none."""
    return [
        collection for collection in state.collections if collection.documents or collection.root
    ] or list(state.collections)


def _model(found: Overview) -> str:
    model = found.status.embedding
    return f"{model.provider} {model.model}, {model.dims} dimensions"


def _follower(state: FollowerState) -> str:
    if state.problem:
        return state.problem
    return f"{counted(state.behind, 'change')} behind" if state.behind else "up to date"


def _times(activity: Activity | None) -> Iterator[Figure]:
    if activity and any(period.added for period in activity.periods):
        yield Figure(
            "added",
            "Indexed over time",
            f"How many of today's documents were first indexed, by {activity.bucket}.",
            figures.active(activity, "added"),
        )
    if activity and activity.dated:
        about = f"How many documents have a date of their own, by {activity.dated_bucket}."
        yield Figure("dated", "Documents by their own date", about, figures.dated(activity))


def _kinds(found: Overview) -> Iterator[Block]:
    kinds = (("tiers", "Tiers", found.tiers), ("types", "Types", found.types), ("tags", "Tags", found.tags))
    for name, title, sizes in kinds:
        if len(sizes) > 1:
            about = f"How many documents have each of the {title.lower()}; most frequent first."
            amounts = [(shortened(word, LONGEST), count) for word, count in sizes.items()]
            yield Figure(name, title, about, charts.bars(amounts))
    yield table(
        "dates",
        "Where dates come from",
        [Column("source", "Date"), Column("documents", "Documents", "count")],
        [(SOURCES.get(name, name), count) for name, count in found.date_sources.items()],
    )
    yield table(
        "links",
        "Links",
        [
            Column("relation", "Relation"),
            Column("links", "Links", "count"),
            Column("resolved", "Resolved", "count"),
        ],
        [(name, every, there) for name, (there, every) in found.relations.items()],
        note="" if found.relations else "No document links to another.",
    )
