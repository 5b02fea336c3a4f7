"""Problems: documents that no search finds, duplicates, broken links, changed files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ark_tui.domain.wording import counted
from ark_tui.engine import health
from ark_tui.interfaces.reports.measures import MEASURES
from ark_tui.interfaces.reports.report import Block, facts, paragraph, table
from ark_tui.interfaces.reports.sections import Asked
from ark_tui.interfaces.reports.sections.analysis import AUDIT, measured

if TYPE_CHECKING:
    from ark_tui.domain.analysis import Analysis
    from ark_tui.domain.library import Upkeep
    from ark_tui.domain.work import Status
    from ark_tui.engine import Engine

REPEATS = {
    "title": str, "path": str, "duplicate_of": str, "chunks": int,
    "collection": str, "collection_of_the_first": str,
}  # fmt: skip
BROKEN = {"title": str, "path": str, "line": int, "relation": str, "target": str, "collection": str}
FILES = {"collection": str, "path": str, "state": str, "reason": str}


def blocks(engine: Engine, asked: Asked) -> Iterator[Block]:
    analysis = engine.analysis.run(["audit"], stop=asked.stop, progress=asked.progress)
    yield from problems(analysis, health.upkeep(engine, asked.stop), engine.status(rows=True))


def problems(analysis: Analysis, found: Upkeep, state: Status) -> Iterator[Block]:
    audit, waiting = analysis.audit, state.coverage.get("waiting", 0)
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
        measure = next(one for one in MEASURES if one.name == AUDIT)
        view = measure.view(analysis)
        if view.notice:
            yield paragraph(view.notice)
        yield from measured(measure, view)
    repeats = [
        (
            one.document.called, one.document.path, one.first.path, one.chunks,
            one.document.collection, one.first.collection,
        )
        for one in found.repeats
    ]  # fmt: skip
    hidden = ("collection", "collection_of_the_first")
    yield table("repeats", "Duplicates", REPEATS, repeats, hidden=hidden, none="No duplicates.")
    broken = [
        (
            one.document.called, one.document.path, one.line or None, one.relation, one.target,
            one.document.collection,
        )
        for one in found.broken
    ]  # fmt: skip
    yield table("broken", "Broken links", BROKEN, broken, hidden=hidden, none="No broken links.")
    files: list[tuple[str, ...]] = [
        (one.collection, one.path, one.state, "run `ark-tui index`") for one in found.moved
    ]
    files += [(one.collection, one.path, one.state, one.reason) for one in state.rows]
    nothing = "Every known file is indexed and unchanged."
    yield table("files", "Changed, skipped and failed files", FILES, files, none=nothing)
