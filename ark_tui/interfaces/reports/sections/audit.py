"""Problems: documents that no search finds, duplicates, broken links, changed files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ark_tui.domain.wording import counted
from ark_tui.engine import health
from ark_tui.interfaces.reports.measures import MEASURES
from ark_tui.interfaces.reports.report import (
    COLLECTION,
    FILE,
    PATH,
    TITLE,
    Block,
    Column,
    Section,
    facts,
    listed,
    paragraph,
    table,
)
from ark_tui.interfaces.reports.sections import Asked
from ark_tui.interfaces.reports.sections.analysis import AUDIT, measured

if TYPE_CHECKING:
    from ark_tui.domain.analysis import Analysis
    from ark_tui.domain.library import Upkeep
    from ark_tui.domain.work import Status
    from ark_tui.engine import Engine

SOME = 20  # rows shown in Markdown and HTML
DOCUMENT = replace(TITLE, label="Document")


def build(engine: Engine, asked: Asked) -> Section:
    audit = engine.analysis.run(["audit"], stop=asked.stop, progress=asked.progress)
    found = health.upkeep(engine, asked.stop)
    return Section("audit", "Audit", tuple(_blocks(audit, found, engine.status(rows=True))))


def _blocks(analysis: Analysis, found: Upkeep, state: Status) -> Iterator[Block]:
    audit = analysis.audit
    waiting = state.coverage.get("waiting", 0)
    yield facts(
        ("Probed", f"{audit.asked:,} of {audit.documents:,} documents" if audit else ""),
        ("Found", f"{audit.found:,}" if audit else ""),
        ("Not found", f"{len(audit.unfound):,}" if audit else ""),
        ("Duplicates", f"{len(found.repeats):,} pairs of documents"),
        ("Broken links", f"{len(found.broken):,}"),
        ("Files changed since", f"{sum(one.state == 'changed' for one in found.moved):,}"),
        ("Files gone since", f"{sum(one.state == 'gone' for one in found.moved):,}"),
        ("Waiting for vectors", counted(waiting, "file") if waiting else "none"),
    )
    yield paragraph(
        "Each document is searched by its own rare words. One that is not among the first ten results is "
        "listed here, with the cause."
    )
    if audit:
        yield from measured(next(one for one in MEASURES if one.name == AUDIT), analysis)
    yield from _upkeep(found, state)


def _upkeep(found: Upkeep, state: Status) -> Iterator[Block]:
    yield listed(
        "repeats",
        "Duplicates",
        [
            DOCUMENT,
            PATH,
            Column("first", "Duplicate of", of=lambda one: one.first.path),
            Column("chunks", "Chunks", "count"),
            COLLECTION,
            Column(
                "first_collection",
                "Collection of the first",
                shown=False,
                of=lambda one: one.first.collection,
            ),
        ],
        found.repeats,
        none="No duplicates.",
        limit=SOME,
    )
    yield listed(
        "broken",
        "Broken links",
        [
            DOCUMENT,
            PATH,
            Column("line", "Line", "count", of=lambda one: one.line or None),
            Column("relation", "Relation"),
            Column("target", "Leads to", longest=80),
            COLLECTION,
        ],
        found.broken,
        none="No broken links.",
        limit=SOME,
    )
    moved = [(one.collection, one.path, one.state, "run `ark-tui index`") for one in found.moved]
    left = [(row.collection, row.path, row.state, row.reason) for row in state.rows]
    yield table(
        "files",
        "Changed, skipped and failed files",
        FILE,
        [*moved, *left],
        note="" if moved or left else "Every known file is indexed and unchanged.",
        limit=SOME,
    )
