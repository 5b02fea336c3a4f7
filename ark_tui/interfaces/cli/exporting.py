"""Carries `ark-tui --export` out."""

from __future__ import annotations

from base64 import b64decode
from pathlib import Path
from typing import TYPE_CHECKING

from ark_tui.domain.errors import UsageError
from ark_tui.interfaces.cli.output import Output
from ark_tui.interfaces.cli.report_options import Wanted
from ark_tui.interfaces.cli.session import Session, stoppable
from ark_tui.interfaces.reports import export as exports
from ark_tui.operations.call import Call

if TYPE_CHECKING:
    import click

STDOUT = Path("-")
OVERVIEW, SEARCH = "overview", "search"


def export(ctx: click.Context, wanted: Wanted) -> None:
    """Write the report that the options ask for."""
    if ctx.invoked_subcommand is not None:
        raise UsageError(
            f"A report is written by itself, not together with `{ctx.invoked_subcommand}`.",
            "Leave one of the two out: ark-tui --export report.md",
        )
    path = wanted["export"]
    if path is None:
        raise UsageError("Where should the report go?", "Name a file: ark-tui --export report.md")
    form = _form(path, wanted["form"])
    session = ctx.ensure_object(Session)
    if path != STDOUT:
        path = path.expanduser()
        exports.check(path, form)
    if wanted["profile"]:
        session.overrides["profile"] = wanted["profile"]
    judged = tuple(one.expanduser().absolute() for one in wanted["judged"])
    with (
        session.opened(begins=False) as home,
        stoppable() as stop,
        session.say.progress() as progress,
    ):
        call = Call(home.engine, person=True, stop=stop, progress=progress)
        asked = (_names(wanted), form, wanted["query"], wanted["profile"], judged)
        files = home.ask("reports.export", call, asked)
    contents = {name: b64decode(content) for name, content in files.items()}
    if path == STDOUT:
        Output(plain=True).block(contents[""].decode())
        return
    exports.put(contents, path)
    session.say.notice(f"Written: {path}")


def _form(path: Path, chosen: str) -> exports.Format:
    for form in exports.FORMATS:
        if chosen == form:
            if form == "parquet" and path == STDOUT:
                raise exports.no_parquet(path)
            return form
    return "md" if path == STDOUT else exports.format_of(path)


def _names(wanted: Wanted) -> tuple[str, ...]:
    """The reports that were named; a query alone asks for its answers beside the overview."""
    return wanted["report"] or ((OVERVIEW, SEARCH) if wanted["query"] else (OVERVIEW,))
