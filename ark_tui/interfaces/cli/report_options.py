"""`--export` and what belongs to it: options of `ark-tui` itself, as no command is run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypedDict, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

REPORTS = ("overview", "search", "analysis", "tasks", "history", "audit", "eval")
FORMATS = ("md", "html", "json", "parquet")


class Wanted(TypedDict):
    """What the options say; empty where they are not given."""

    export: Path | None
    report: tuple[str, ...]
    query: str
    judged: tuple[Path, ...]
    profile: str
    form: str


def report_options(command: F) -> F:
    """The options, in the order of the help."""
    path = click.Path(path_type=Path, allow_dash=True)
    for option in reversed(
        (
            click.option(
                "--export",
                type=path,
                metavar="FILE",
                help="Write a report: .md, .html, .json or .parquet; - is stdout.",
            ),
            click.option(
                "--report",
                multiple=True,
                type=click.Choice(REPORTS),
                metavar="NAME",
                help=f"What it is about, repeatable: {', '.join(REPORTS)}.  [default: overview]",
            ),
            click.option("--query", default="", metavar="TEXT", help="The query of the search report."),
            click.option(
                "--judged",
                multiple=True,
                type=click.Path(path_type=Path),
                metavar="DIR",
                help="A judged set for the eval report, repeatable.",
            ),
            click.option("--profile", default="", metavar="NAME", help="The ranking profile of the report."),
            click.option(
                "--format",
                "form",
                default="",
                type=click.Choice(("", *FORMATS)),
                metavar="FORM",
                help="md, html, json or parquet, whatever the file is called.",
            ),
        )
    ):
        command = option(command)
    return command
