"""What needs looking after: documents nobody finds, texts kept twice, broken links, files that moved on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ark_tui.domain.wording import counted
from ark_tui.faces.reports import figures
from ark_tui.faces.reports.report import (
    Block,
    Column,
    Figure,
    Section,
    Table,
    facts,
    numbers,
    paragraph,
    table,
)
from ark_tui.faces.reports.sections import asked as asking

if TYPE_CHECKING:
    from ark_tui.domain.analysis import Audit
    from ark_tui.domain.upkeep import Upkeep
    from ark_tui.domain.work import Status
    from ark_tui.engine import Engine

SOME = 20  # rows that people get to see


def build(engine: Engine, asked: asking.Asked) -> Section:
    audit = engine.analysis.run(["audit"], stop=asked.stop, progress=asked.progress).audit
    found = engine.upkeep(asked.stop)
    return Section("audit", "Audit", tuple(_blocks(audit, found, engine.status(rows=True))))


def _blocks(audit: Audit | None, found: Upkeep, state: Status) -> Iterator[Block]:
    waiting = state.coverage.get("waiting", 0)
    yield facts(
        ("Probed", f"{audit.asked:,} of {audit.documents:,} documents" if audit else ""),
        ("Found", f"{audit.found:,}" if audit else ""),
        ("Not found", f"{len(audit.unfound):,}" if audit else ""),
        ("Kept twice", f"{len(found.repeats):,} pairs of documents"),
        ("Broken links", f"{len(found.broken):,}"),
        ("Files changed since", f"{sum(one.state == 'changed' for one in found.moved):,}"),
        ("Files gone since", f"{sum(one.state == 'gone' for one in found.moved):,}"),
        ("Waiting for vectors", counted(waiting, "file") if waiting else "none"),
    )
    yield numbers(
        documents=audit.documents if audit else None,
        asked=audit.asked if audit else None,
        found=audit.found if audit else None,
        repeats=len(found.repeats),
        broken=len(found.broken),
        moved=len(found.moved),
        waiting=waiting,
    )
    if audit:
        yield from _findability(audit)
    yield _repeats(found)
    yield _broken(found)
    yield _files(found, state)


def _findability(audit: Audit) -> Iterator[Block]:
    yield paragraph(
        "Findability: every document is asked for by words of its own that are rare elsewhere. "
        "One that no such query brings back among the first ten is listed here, with the cause."
    )
    if audit.notice:
        yield paragraph(audit.notice)
    if any(audit.causes.values()):
        yield Figure(
            "causes", "Why documents are not found", "How many there are of each cause.", figures.audit(audit)
        )
    yield table(
        "unfound",
        "Documents that are not found",
        [
            Column("title", "Title"),
            Column("path", "Place", "path"),
            Column("cause", "Cause"),
            Column("detail", "What happens"),
            Column("collection", "Collection", shown=False),
            Column("probes", "Asked", shown=False),
            Column("eclipsed_by", "Eclipsed by", shown=False),
            Column("id", "Id", shown=False),
        ],
        [
            (
                one.document.title or one.document.path,
                one.document.path,
                one.cause,
                one.detail,
                one.document.collection,
                " | ".join(one.probes),
                one.eclipsed_by.path if one.eclipsed_by else "",
                one.document.id,
            )
            for one in audit.unfound
        ],
        note="" if audit.unfound or not audit.asked else "Every document that was asked for was found.",
    )


def _repeats(found: Upkeep) -> Table:
    return table(
        "repeats",
        "Texts that are kept twice",
        [
            Column("title", "Document"),
            Column("path", "Place", "path"),
            Column("first", "Says the same as", "path"),
            Column("chunks", "Chunks", "count"),
            Column("collection", "Collection", shown=False),
            Column("first_collection", "Collection of the first", shown=False),
        ],
        [
            (
                one.document.title or one.document.path,
                one.document.path,
                one.first.path,
                one.chunks,
                one.document.collection,
                one.first.collection,
            )
            for one in found.repeats
        ],
        note="" if found.repeats else "No document repeats another.",
        limit=SOME,
    )


def _broken(found: Upkeep) -> Table:
    return table(
        "broken",
        "Links that lead nowhere",
        [
            Column("title", "Document"),
            Column("path", "Place", "path"),
            Column("line", "Line", "count"),
            Column("relation", "Relation"),
            Column("target", "Leads to", longest=80),
            Column("collection", "Collection", shown=False),
        ],
        [
            (
                one.document.title or one.document.path,
                one.document.path,
                one.line or None,
                one.relation,
                one.target,
                one.document.collection,
            )
            for one in found.broken
        ],
        note="" if found.broken else "Every link leads to a document.",
        limit=SOME,
    )


def _files(found: Upkeep, state: Status) -> Table:
    moved = [(one.collection, one.path, one.state, "`ark-tui index` takes it up") for one in found.moved]
    left = [(row.collection, row.path, row.state, row.reason) for row in state.rows]
    return table(
        "files",
        "Files that are not as the index has them",
        [
            Column("collection", "Collection"),
            Column("path", "Place", "path"),
            Column("state", "State", "short"),
            Column("reason", "Reason"),
        ],
        [*moved, *left],
        note="" if moved or left else "Every known file is indexed and as it was.",
        limit=SOME,
    )
