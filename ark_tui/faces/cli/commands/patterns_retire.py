"""`ark-tui patterns-retire`: a pattern that is not to be offered any more."""

from __future__ import annotations

import click

from ark_tui.faces.cli.known import Listing, retiring
from ark_tui.faces.cli.output import Output
from ark_tui.faces.cli.session import Session
from ark_tui.faces.reports import wire_knowledge as wire


@click.command(
    "patterns-retire", epilog="Example: ark-tui patterns-retire 3fa9c1 --reason 'CI has a timeout'"
)
@retiring
def command(session: Session, ref: str, reason: str, as_json: bool) -> None:
    """Take a pattern out of searches and contexts.

    What is known of it is kept.
    """
    with session.engine() as engine:
        kept = engine.memory.retire_pattern(ref, reason)
    out = Output()
    if as_json:
        out.document(wire.pattern(kept))
    else:
        Listing(out).patterns([kept])
