"""Reports of indexing, the state of the corpus, and models."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from ark_tui.domain.errors import Cancelled, UsageError
from ark_tui.domain.wording import counted, covered, duration
from ark_tui.interfaces.cli.output import Ink, Output, column
from ark_tui.interfaces.cli.rendering import Renderer, View
from ark_tui.operations.encoding import encoded

if TYPE_CHECKING:
    from threading import Event

    from ark_tui.domain.models import Models
    from ark_tui.domain.work import (
        CollectionInfo,
        Coverage,
        CoverageRow,
        FollowerState,
        IndexReport,
        Progress,
        Space,
        Status,
    )
    from ark_tui.operations.call import Call

LISTED = 20  # problems listed; the rest are in `status --files`
EVENTS_EVERY_S = 0.1  # minimal interval of events per stage
LABEL = 12  # cells
COUNTS = ("added", "changed", "renamed", "removed", "unchanged", "skipped", "failed")


# -- indexing ------------------------------------------------------------------------------------------------


def index(view: View, run: Callable[..., IndexReport]) -> None:
    """Index once, or after every burst of changes until stopped, and show each report."""
    if view.options["watch"] and (view.as_json or view.options["dry_run"]):
        raise UsageError("Watching has no end at which to report.", "Use --watch --jsonl.")
    stream = view.options["stream"]
    if stream:
        view.call.progress = _streamed(view.out)

    def show(report: IndexReport) -> None:
        view.say.settle()
        if stream:
            view.out.event({"event": "report", **encoded(report)})
        elif view.as_json:
            view.out.document(encoded(report))
        else:
            described(view, [report])

    first = run()
    show(first)
    if view.options["watch"]:
        view.say.notice("Watching; Ctrl-C ends it.")
        view.out.flush()
        for report in _changes(view, first.collections, run):
            show(report)
            view.out.flush()
        raise Cancelled


def _changes(view: View, names: Sequence[str], run: Callable[..., IndexReport]) -> Iterator[IndexReport]:
    """Index after every burst of changes in the folders of these collections; yields the reports."""
    from ark_tui.engine.watching import bursts

    call = view.call
    call.progress = lambda _: None
    roots = [Path(one.root) for one in call.engine.status().collections if one.root and one.name in names]
    for _ in bursts(roots, cast("Event", call.stop)):
        report = run()
        if report.touched:
            yield report


def _streamed(out: Output) -> Callable[[Progress], None]:
    """Write progress as JSON lines: one per stage and tenth of a second, and the last of each stage."""
    shown: dict[str, float] = {}

    def progress(at: Progress) -> None:
        now = time.monotonic()
        if at.done == at.total or now - shown.get(at.stage, 0.0) >= EVENTS_EVERY_S:
            shown[at.stage] = now
            out.event({"event": "progress", **encoded(at)})

    return progress


def described(view: View, reports: Sequence[IndexReport]) -> None:
    """Print what indexing did."""
    out, report = view.out, reports[0]
    out.line(Ink(", ".join(f"{getattr(report, name):,} {name}" for name in COUNTS), "strong"))
    if report.duplicates:
        out.line(f"{counted(report.duplicates, 'near-duplicate chunk')}")
    if report.embedded:
        out.line(f"{counted(report.embedded, 'text')} embedded")
    for problem in report.problems[:LISTED]:
        out.line(
            "  ", Ink(problem.state, "bad" if problem.state == "failed" else "faint"), f"  {problem.path}"
        )
        out.line(f"           {problem.reason}")
    if len(report.problems) > LISTED:
        out.line(f"  … and {len(report.problems) - LISTED} more: ark-tui status --files")
    for notice in report.notices:
        view.say.notice(notice)


# -- the state ----------------------------------------------------------------------------------------------


def status(view: View, states: Sequence[Status]) -> None:
    """Print what is stored and the state of the indexes; with `--files` the skipped files."""
    (state,) = states
    model, kept = state.embedding, f"{state.store_path}, schema {state.schema}"
    rows = [
        ("documents", f"{state.documents:,} in {counted(state.chunks, 'chunk')}"),
        *(("", collection(one)) for one in state.collections),
        ("files", covered(state.coverage)),
        *((follower.name, _follower(follower)) for follower in state.followers),
        ("model", model.problem or f"{model.provider} {model.model}, {model.dims} dimensions"),
        ("store", f"{kept}, {_size(state.bytes)} with its indexes"),
        *(("", taken(one)) for one in state.space),
    ]
    view.pairs(rows, LABEL)
    if view.options["files"]:
        _files(view.out, state.rows)


def coverage(view: View, pages: Sequence[Coverage]) -> None:
    """Print the files with state and reason, and the count of each state."""
    (page,) = pages
    _files(view.out, page.rows)
    if more := page.total - len(page.rows):
        view.out.line(f"… {more:,} more")
    view.out.line(covered(page.counts) or "no files")


def collection(one: CollectionInfo) -> str:
    """A collection as a line: size, folder, and last complete scan."""
    said = f"{one.name}: {counted(one.documents, 'document')}, {counted(one.chunks, 'chunk')}"
    if one.root is None:
        return said
    read = f"read {one.read:%Y-%m-%d %H:%M} UTC" if one.read else "not read completely yet"
    return " · ".join([said, one.root, "its folder is missing" if one.missing else read])


def taken(one: Space) -> str:
    """The disk space for one purpose as a line."""
    return f"{_size(one.bytes):>10}  {one.purpose}{one.bound and f', at most {one.bound}'}"


def _follower(state: FollowerState) -> str:
    if state.problem:
        return state.problem
    if state.behind:
        return f"{counted(state.behind, 'change')} behind the store. To catch up: ark-tui index"
    return "up to date" if state.recall_at_10 is None else f"up to date, recall@10 {state.recall_at_10:.3f}"


def _files(out: Output, rows: Sequence[CoverageRow]) -> None:
    for row in rows:
        out.line(
            Ink(column(row.state, LABEL), "bad" if row.state == "failed" else "faint"),
            f"{row.collection}: {row.path}",
        )
        if row.reason:
            out.line(" " * LABEL, row.reason)


def _size(count: float) -> str:
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 1000 or unit == "GB":
            break
        count /= 1000
    return f"{count:,.0f} {unit}" if unit == "bytes" else f"{count:,.1f} {unit}"


# -- models -------------------------------------------------------------------------------------------------


def _remarks(models: Models) -> Iterator[str]:
    for model in models.models:
        if model.state == "being built":
            yield f"{model.name} is not complete. To continue: ark-tui models --use {model.name}"
    if models.setting == "static":
        yield "The setting `embedding` is static: no model server is used."
    if models.slow:
        yield models.slow
    elif models.better:
        yield f"Better than the static model: ark-tui models --use {models.better}"


WATCH = click.Option(
    ["--watch"], is_flag=True, help="Keep running, and index files within two seconds of being saved."
)
STREAM = click.Option(
    ["--jsonl", "stream"], is_flag=True, help="Print progress and reports as JSON lines, for programs."
)


def _process(call: Call) -> Iterator[str]:
    """The home process as a line, if there is one."""
    asked = getattr(call.engine, "process", None)
    if asked and (found := asked()):
        about = f"up {duration(found['seconds'])}, {found['memory'] >> 20} MB"
        yield f"Home process {found['process']}: {about}. Clients: {', '.join(found['clients'])}."


RENDERERS = {
    "index": Renderer(described, (WATCH, STREAM), run=index),
    "ingest-file": Renderer(described),
    "status": Renderer(status, after=_process),
    "coverage": Renderer(coverage),
    **dict.fromkeys(("models", "models list", "models add", "models remove"), Renderer(remarks=_remarks)),
}
