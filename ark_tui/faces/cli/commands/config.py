"""`ark-tui config`: every setting with its origin; and taking over another program's config."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ark_tui.faces.cli.output import Ink, Output, dumped
from ark_tui.faces.cli.session import Session, face, pass_session
from ark_tui.faces.reports import wire

if TYPE_CHECKING:
    from ark_tui.settings import Settings


@click.group(
    "config", invoke_without_command=True, epilog="Example: ark-tui config import ~/.ralph/config.json"
)
@face
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """Show every setting and where it came from.

    Highest first: the command line, the environment, config.toml in the home, the default.
    """
    if ctx.invoked_subcommand is not None:
        return
    session = ctx.find_object(Session)
    assert session is not None
    settings = session.settings()
    out = Output()
    if as_json:
        out.document(wire.settings(settings))
    else:
        _describe(out, settings)


@command.command("import", epilog="Example: ark-tui config import knowledge.json")
@click.argument("file", type=click.Path(path_type=Path))
@face
@pass_session
def take_over(session: Session, file: Path, as_json: bool) -> None:
    """Take roots and ignore patterns over from a JSON config.

    The file looks like {"roots": ["~/notes"], "ignore": ["*.tmp"]}. What config.toml says already stays.
    """
    from ark_tui.settings import ralph

    taken = ralph.take_over(file, session.settings().home)
    for warning in taken.warnings:
        session.say.warning(warning)
    out = Output()
    if as_json:
        out.document(
            {
                "roots": [{"path": str(root.path), "name": root.name} for root in taken.roots],
                "ignore": list(taken.ignore),
                "changed": taken.changed,
                "config": str(taken.config),
            }
        )
        return
    for root in taken.roots:
        out.line(Ink("root    ", "faint"), str(root.path))
    for pattern in taken.ignore:
        out.line(Ink("ignore  ", "faint"), pattern)
    session.say.notice(f"Written to {taken.config}." if taken.changed else "All of it was there already.")


def _describe(out: Output, settings: Settings) -> None:
    out.line(Ink(f"{'home':<15}", "faint"), str(settings.home.path))
    roots = [str(root.path) for root in settings.roots]
    for name, value in {"roots": roots, **settings.values}.items():
        shown = str(value) if isinstance(value, str) and value else dumped(value)
        out.line(Ink(f"{name:<15}", "faint"), f"{shown:<36} ", Ink(settings.origin(name), "faint"))
    out.line(Ink(f"{'profiles':<15}", "faint"), ", ".join(settings.profiles))
