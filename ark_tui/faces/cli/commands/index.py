"""`ark-tui index`: folders into the store, once or for as long as it runs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ark_tui.domain.errors import Cancelled, UsageError
from ark_tui.domain.wording import counted
from ark_tui.domain.work import Run
from ark_tui.faces.cli.output import Ink, Output
from ark_tui.faces.cli.session import Session, Stopping, face, pass_session, stoppable
from ark_tui.faces.reports import wire

if TYPE_CHECKING:
    from ark_tui.domain.protocols import OnProgress
    from ark_tui.domain.work import IndexReport, Progress
    from ark_tui.engine import Engine
    from ark_tui.faces.cli.diagnostics import Diagnostics

LISTED = 20  # problems; the rest are in `status --files`
EVENTS_EVERY_S = 0.1  # on the event stream, per stage

COUNTS = ("added", "changed", "renamed", "removed", "unchanged", "skipped", "failed")


@click.command("index", epilog="Example: ark-tui index ~/notes ~/papers --tag study")
@click.argument("roots", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--collection", metavar="NAME", default="", help="Call the collection this, not by the folder's name."
)
@click.option(
    "--tag", "tags", multiple=True, metavar="TAG", help="Tag every document; may be given several times."
)
@click.option("--watch", is_flag=True, help="Stay, and take up files within two seconds of being saved.")
@click.option("--dry-run", is_flag=True, help="Say what would be done, and do nothing.")
@click.option(
    "--jsonl", "stream", is_flag=True, help="Print progress and reports as JSON lines, for programs."
)
@face
@pass_session
def command(
    session: Session,
    roots: tuple[Path, ...],
    collection: str,
    tags: tuple[str, ...],
    watch: bool,
    dry_run: bool,
    stream: bool,
    as_json: bool,
) -> None:
    """Index folders, and follow their changes.

    Each becomes a collection named after it. What has not changed since the last run is not read again,
    so the same command goes on where an interrupted one stopped. Without ROOTS, the folders come from
    ARK_DIRS, from `roots` in the configuration, or from ./thoughts.
    """
    if collection and len(roots) > 1:
        raise UsageError("One collection cannot follow several folders.", "Index them one by one.")
    settings = session.settings({"roots": list(roots)})
    folders = [root.path for root in settings.roots]
    if not folders:
        raise UsageError(
            "There is nothing to index.",
            "Name a folder, as in `ark-tui index ~/notes`, or set `roots` in the config.",
        )
    if not roots:
        session.say.notice(f"Using roots from: {settings.roots_from}")
    if watch and (as_json or dry_run):
        raise UsageError("Watching has no end to report at.", "For programs, there is --watch --jsonl.")
    out = Output()
    show = _printer(out, session.say, stream=stream, as_json=as_json)
    bar = nullcontext(_Stream(out).progress) if stream else session.say.progress()
    with session.engine() as engine, stoppable(engine) as stop:
        task = _Task(engine, roots, collection, tags, dry_run, stop)
        with _dropped(engine, folders, stop):
            with bar as progress:
                report = task.run(progress)
            show(report)
            if watch:
                session.say.notice("Watching; Ctrl-C ends it.")
                out.flush()
                for report in task.changes(folders):
                    show(report)
                    out.flush()
                raise Cancelled


@contextmanager
def _dropped(engine: Engine, folders: Sequence[Path], stop: Stopping) -> Iterator[None]:
    """What a person stops with Ctrl-C is not to go on by itself; what anything else cuts off is."""
    try:
        yield
    except (Cancelled, KeyboardInterrupt):
        if stop.given_up:
            for folder in folders:
                engine.runs.drop(Run("index", str(folder.resolve())))
        raise


def _printer(out: Output, say: Diagnostics, *, stream: bool, as_json: bool) -> Callable[[IndexReport], None]:
    if stream:
        return _Stream(out).report
    if as_json:
        return lambda report: out.document(wire.index(report))
    return lambda report: describe(out, say, report)


@dataclass
class _Task:
    """The same indexing run, as often as it is asked for."""

    engine: Engine
    roots: Sequence[Path]
    collection: str
    tags: Sequence[str]
    dry_run: bool
    stop: threading.Event

    def run(self, progress: OnProgress) -> IndexReport:
        return self.engine.index(
            self.roots,
            collection=self.collection,
            tags=self.tags,
            dry_run=self.dry_run,
            stop=self.stop,
            progress=progress,
        )

    def changes(self, folders: Sequence[Path]) -> Iterator[IndexReport]:
        """Run again after every burst of changes, until somebody asks to stop."""
        from ark_tui.engine.watching import bursts

        for _ in bursts([folder.resolve() for folder in folders], self.stop):
            report = self.run(lambda _: None)
            if report.touched:
                yield report


class _Stream:
    """Progress and reports as JSON lines, for the workbench and for scripts."""

    def __init__(self, out: Output) -> None:
        self._out = out
        self._shown: dict[str, float] = {}

    def progress(self, at: Progress) -> None:
        """One line per stage and tenth of a second, and the last one of each stage."""
        now = time.monotonic()
        if at.done != at.total and now - self._shown.get(at.stage, 0.0) < EVENTS_EVERY_S:
            return
        self._shown[at.stage] = now
        self._out.event({"event": "progress", **wire.progress(at)})

    def report(self, report: IndexReport) -> None:
        self._out.event({"event": "report", **wire.index(report)})


def describe(out: Output, say: Diagnostics, report: IndexReport) -> None:
    """The report as people read it."""
    out.line(Ink(", ".join(f"{getattr(report, name):,} {name}" for name in COUNTS), "strong"))
    if report.duplicates:
        out.line(f"{counted(report.duplicates, 'near-duplicate chunk')}, grouped under what they repeat")
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
        say.notice(notice)
