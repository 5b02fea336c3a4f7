"""`ark-tui patterns-list`: problems, what solves them, and how sure that is."""

from __future__ import annotations

import click

from ark_tui.faces.cli.known import Listing, by, listing
from ark_tui.faces.cli.output import Output
from ark_tui.faces.cli.session import Session
from ark_tui.faces.reports import wire_knowledge as wire


@click.command("patterns-list", epilog="Example: ark-tui patterns-list --agent default")
@listing
def command(session: Session, agent: str, retired: bool, as_json: bool) -> None:
    """List patterns, the surest first."""
    with session.engine() as engine:
        found = engine.memory.patterns(by(agent), retired=retired)
    out = Output()
    if as_json:
        out.document(wire.patterns(found))
        return
    if not found:
        session.say.notice(
            "There are no patterns: ark-tui patterns-add the problem --solution 'the solution'"
        )
    Listing(out).patterns(found)
