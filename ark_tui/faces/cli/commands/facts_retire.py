"""`ark-tui facts-retire`: a fact that is so no more."""

from __future__ import annotations

import click

from ark_tui.faces.cli.known import Listing, retiring
from ark_tui.faces.cli.output import Output
from ark_tui.faces.cli.session import Session
from ark_tui.faces.reports import wire_knowledge as wire


@click.command("facts-retire", epilog="Example: ark-tui facts-retire 3fa9c1 --reason 'the build was split'")
@retiring
def command(session: Session, ref: str, reason: str, as_json: bool) -> None:
    """Take a fact out of searches and contexts.

    Its text is kept.
    """
    with session.engine() as engine:
        kept = engine.memory.retire_fact(ref, reason)
    out = Output()
    if as_json:
        out.document(wire.fact(kept))
    else:
        Listing(out).facts([kept])
