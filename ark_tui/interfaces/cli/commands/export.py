"""`ark-tui export`: reports about the home, as files."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ark_tui.interfaces.cli.session import Session, face, pass_session

if TYPE_CHECKING:
    from ark_tui.interfaces.reports.export import Format

F = TypeVar("F", bound=Callable[..., Any])

REPORTS = ("overview", "search", "analysis", "tasks", "history", "audit", "eval")
FORMATS = ("md", "html", "json", "parquet")
STDOUT = Path("-")
FILE = click.Path(path_type=Path, allow_dash=True)


def report_options(command: F, *, hidden: bool = False) -> F:
    """Add the options that select the content of a report."""
    options: tuple[tuple[str, dict[str, Any]], ...] = (
        ("--report", {"multiple": True, "type": click.Choice(REPORTS), "metavar": "NAME",
                      "help": f"May be repeated: {', '.join(REPORTS)}.  [default: overview]"}),
        ("--query", {"default": "", "metavar": "TEXT", "help": "The query of the search report."}),
        ("--judged", {"multiple": True, "type": click.Path(path_type=Path), "metavar": "DIR",
                      "help": "A judged set for the eval report. May be repeated."}),
        ("--profile", {"default": "", "metavar": "NAME", "help": "The ranking profile of the report."}),
        ("--format form", {"default": "", "type": click.Choice(("", *FORMATS)), "metavar": "FORM",
                      "help": "md, html, json or parquet. It overrides the suffix of FILE."}),
    )  # fmt: skip
    for name, about in reversed(options):
        command = click.option(*name.split(), hidden=hidden, **about)(command)
    return command


@click.command("export", epilog="Example: ark-tui export report.html --report overview --report analysis")
@click.argument("file", type=FILE)
@report_options
@face
@pass_session
def command(session: Session, /, file: Path, as_json: bool, **wanted: Any) -> None:
    """Write a report to FILE: .md, .html, .json or .parquet; - is stdout.

    With --query and no --report it has the overview and the search results. `ark-tui --export FILE` does the
    same.
    """
    export(session, file, as_json=as_json, **wanted)


def export(
    session: Session,
    path: Path,
    *,
    report: tuple[str, ...],
    query: str,
    judged: tuple[Path, ...],
    profile: str,
    form: str,
    as_json: bool = False,
) -> None:
    """Write the report that the options describe. Raises `UsageError`."""
    from ark_tui.interfaces.cli.output import Output
    from ark_tui.interfaces.cli.session import stoppable
    from ark_tui.interfaces.reports import export as exports
    from ark_tui.operations.call import Call

    chosen = _form(path, "json" if as_json and path == STDOUT else form)
    if path != STDOUT:
        path = path.expanduser()
        exports.check(path, chosen)
    if profile:
        session.overrides["profile"] = profile
    sets = tuple(one.expanduser().absolute() for one in judged)
    names = report or (("overview", "search") if query else ("overview",))
    with (
        session.opened(begins=False) as home,
        stoppable() as stop,
        session.say.progress() as progress,
    ):
        call = Call(home.engine, person=True, stop=stop, progress=progress)
        files = home.ask("reports.export", call, (names, chosen, query, profile, sets))
    contents = {name: b64decode(content) for name, content in files.items()}
    if path == STDOUT:
        Output(plain=True).block(contents[""].decode())
        return
    exports.put(contents, path)
    if as_json:
        Output().document({"written": str(path)})
    else:
        session.say.notice(f"Written: {path}")


def _form(path: Path, chosen: str) -> Format:
    from ark_tui.interfaces.reports import export as exports

    for form in exports.FORMATS:
        if chosen == form:
            if form == "parquet" and path == STDOUT:
                raise exports.no_parquet(path)
            return form
    return "md" if path == STDOUT else exports.format_of(path)
