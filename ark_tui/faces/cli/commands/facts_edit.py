"""`ark-tui facts-edit`: another text for a fact."""

from __future__ import annotations

import click

from ark_tui.faces.cli.known import Listing, given
from ark_tui.faces.cli.output import Output
from ark_tui.faces.cli.session import Session, face, pass_session
from ark_tui.faces.cli.words import FreeText, joined
from ark_tui.faces.reports import wire_knowledge as wire


@click.command(
    "facts-edit", cls=FreeText, epilog="Example: ark-tui facts-edit 3fa9c1 The build takes three minutes"
)
@click.argument("ref", metavar="ID")
@click.argument("text", nargs=-1, callback=joined)
@face
@pass_session
def command(session: Session, ref: str, text: str, as_json: bool) -> None:
    """Give a fact another text; it stays the same fact.

    Its words are the text; `-` alone reads it from stdin.
    """
    with session.engine() as engine:
        kept = engine.memory.edit_fact(ref, given(text))
    out = Output()
    if as_json:
        out.document(wire.fact(kept))
    else:
        Listing(out).facts([kept])
