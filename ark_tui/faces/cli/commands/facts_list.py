"""`ark-tui facts-list`: the facts that are kept."""

from __future__ import annotations

import click

from ark_tui.faces.cli.known import Listing, by, listing
from ark_tui.faces.cli.output import Output
from ark_tui.faces.cli.session import Session
from ark_tui.faces.reports import wire_knowledge as wire


@click.command("facts-list", epilog="Example: ark-tui facts-list --retired")
@listing
def command(session: Session, agent: str, retired: bool, as_json: bool) -> None:
    """List facts, the oldest first."""
    with session.engine() as engine:
        found = engine.memory.facts(by(agent), retired=retired)
    out = Output()
    if as_json:
        out.document(wire.facts(found))
        return
    if not found:
        session.say.notice("There are no facts: ark-tui facts-add The build takes four minutes")
    Listing(out).facts(found)
