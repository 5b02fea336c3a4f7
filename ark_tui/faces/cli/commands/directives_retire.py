"""`ark-tui directives-retire`: a rule that holds no more."""

from __future__ import annotations

import click

from ark_tui.faces.cli.known import Listing, retiring
from ark_tui.faces.cli.output import Output
from ark_tui.faces.cli.session import Session
from ark_tui.faces.reports import wire_knowledge as wire


@click.command("directives-retire", epilog="Example: ark-tui directives-retire 3fa9c1 --reason 'CI does it'")
@retiring
def command(session: Session, ref: str, reason: str, as_json: bool) -> None:
    """Take a rule out of force. It is kept."""
    with session.engine() as engine:
        kept = engine.memory.retire_directive(ref, reason)
    out = Output()
    if as_json:
        out.document(wire.directive(kept))
    else:
        Listing(out).directives([kept])
