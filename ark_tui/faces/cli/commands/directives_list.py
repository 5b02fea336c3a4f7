"""`ark-tui directives-list`: the rules."""

from __future__ import annotations

import click

from ark_tui.faces.cli.known import Listing, by, listing
from ark_tui.faces.cli.output import Output
from ark_tui.faces.cli.session import Session
from ark_tui.faces.reports import wire_knowledge as wire


@click.command("directives-list", epilog="Example: ark-tui directives-list --json")
@listing
def command(session: Session, agent: str, retired: bool, as_json: bool) -> None:
    """List rules, in the order in which they count."""
    with session.engine() as engine:
        found = engine.memory.directives(by(agent), retired=retired)
    out = Output()
    if as_json:
        out.document(wire.directives(found))
        return
    if not found:
        session.say.notice("There are no directives: ark-tui directives-add MUST run the tests")
    Listing(out).directives(found)
