"""`ark-tui saved`: searches under a name, with their filters."""

from __future__ import annotations

import click

from ark_tui.domain.errors import NotFound
from ark_tui.domain.query import MODES, Mode, Request
from ark_tui.faces.cli import curating
from ark_tui.faces.cli.output import WIDTH, Ink, Output
from ark_tui.faces.cli.session import Session, face, pass_session
from ark_tui.faces.cli.words import FreeText, joined
from ark_tui.faces.reports import wire_curation


@click.group("saved", invoke_without_command=True, epilog="Example: ark-tui saved add week after:last-week")
@face
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """List the saved searches.

    `ark-tui search @NAME` runs one. More words after the name narrow it: `ark-tui search @week tag:draft`.
    """
    if ctx.invoked_subcommand is not None:
        return
    session = ctx.find_object(Session)
    assert session is not None
    with session.engine() as engine:
        kept = engine.curation.saved()
    out = Output()
    if as_json:
        out.document(wire_curation.saved(kept))
        return
    if not kept:
        session.say.notice("No search is saved yet: ark-tui saved add NAME some words")
    from ark_tui.faces.cli.layout import fit, short

    for one in kept:
        about = f"{one.request.mode:<9} {one.request.limit:>4}  "
        out.line(f"{fit('@' + one.name, 22)}  ", Ink(about, "faint"), short(one.request.query, WIDTH - 40))


@command.command("add", cls=FreeText, epilog="Example: ark-tui saved add gaps spectral gap tag:theory -n 20")
@click.argument("words", nargs=-1, callback=joined, metavar="NAME QUERY...")
@click.option(
    "-n", "--limit", type=click.IntRange(1, 1000), default=10, show_default=True, help="How many documents."
)
@click.option(
    "--mode", type=click.Choice(MODES), default="hybrid", show_default=True, help="What to rank by."
)
@click.option("--profile", metavar="NAME", default="", help="The ranking profile, if not the configured one.")
@click.option("--superseded", is_flag=True, help="List what was superseded, too, with its successor.")
@face
@pass_session
def add(
    session: Session, words: str, limit: int, mode: Mode, profile: str, superseded: bool, as_json: bool
) -> None:
    """Save a search under a name, in place of one that had it.

    The first word is the name, the others are the query with its filters.
    """
    name, _, query = words.strip().removeprefix("@").partition(" ")
    request = Request(query.strip(), mode=mode, limit=limit, profile=profile, superseded=superseded)
    with session.engine() as engine:
        if profile and profile not in engine.profiles():
            raise NotFound(f"There is no profile {profile}.", f"There are {', '.join(engine.profiles())}.")
        done = engine.curation.save_search(name, request)
    curating.tell(session, done, as_json=as_json)


@command.command("rename", epilog="Example: ark-tui saved rename week recent")
@click.argument("name", metavar="NAME")
@click.argument("to", metavar="NEW")
@face
@pass_session
def rename(session: Session, name: str, to: str, as_json: bool) -> None:
    """Give a saved search another name."""
    with session.engine() as engine:
        done = engine.curation.rename_search(name.removeprefix("@"), to.removeprefix("@"))
    curating.tell(session, done, as_json=as_json)


@command.command("delete", epilog="Example: ark-tui saved delete week")
@click.argument("name", metavar="NAME")
@face
@pass_session
def delete(session: Session, name: str, as_json: bool) -> None:
    """Delete a saved search; `ark-tui undo` brings it back."""
    with session.engine() as engine:
        done = engine.curation.forget_search(name.removeprefix("@"))
    curating.tell(session, done, as_json=as_json)
