"""Documents by kind and time, the state of the indexes, and the files that were skipped, with the reasons."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import TYPE_CHECKING

from ark_tui.domain.wording import counted, covered
from ark_tui.interfaces.reports import charts
from ark_tui.interfaces.reports.report import Block, Figure, facts, paragraph, table
from ark_tui.interfaces.reports.sections import Asked
from ark_tui.interfaces.reports.text import shortened

if TYPE_CHECKING:
    from ark_tui.domain.library import Overview
    from ark_tui.domain.work import CollectionInfo, FollowerState, Status
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
    found, activity = engine.overview(), engine.analysis.run(["activity"], stop=asked.stop).activity
    state = found.status
    model = state.embedding
    yield paragraph(_summary(found))
    yield facts(
        ("Documents", f"{state.documents:,}"),
        ("Chunks", f"{state.chunks:,}, {found.tokens:,} tokens in all"),
        ("Files", covered(state.coverage)),
        ("Model", model.problem or f"{model.provider} {model.model}, {model.dims} dimensions"),
        *((f"Index of {follower.name}", _follower(follower)) for follower in state.followers),
    )
    sizes = [(shortened(one.name, LONGEST), one.documents) for one in _filled(state)]
    yield Figure("sizes", "Documents by collection", charts.bars(sizes))
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


def _follower(state: FollowerState) -> str:
    if state.problem:
        return state.problem
    return f"{counted(state.behind, 'change')} behind" if state.behind else "up to date"


def _kinds(found: Overview) -> Iterator[Block]:
    kinds = (("tiers", "Tiers", found.tiers), ("types", "Types", found.types), ("tags", "Tags", found.tags))
    for name, title, sizes in kinds:
        if len(sizes) > 1:
            amounts = [(shortened(word, LONGEST), count) for word, count in sizes.items()]
            yield Figure(name, title, charts.bars(amounts))
    sources = [(SOURCES.get(name, name), count) for name, count in found.date_sources.items()]
    yield table("dates", "Where dates come from", {"source": str, "documents": int}, sources)
    yield table(
        "links",
        "Links",
        {"relation": str, "links": int, "resolved": int},
        [(name, every, resolved) for name, (resolved, every) in found.relations.items()],
        none="No document links to another.",
    )
