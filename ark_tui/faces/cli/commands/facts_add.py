"""`ark-tui facts-add`: keep a fact."""

from __future__ import annotations

import click

from ark_tui.domain.documents import Tier
from ark_tui.faces.cli.known import Listing, adding, given
from ark_tui.faces.cli.output import Output
from ark_tui.faces.cli.session import Session
from ark_tui.faces.cli.words import FreeText, joined
from ark_tui.faces.reports import wire_knowledge as wire


@click.command(
    "facts-add", cls=FreeText, epilog="Example: ark-tui facts-add The build takes four minutes --tag ci"
)
@click.argument("text", nargs=-1, callback=joined)
@click.option("--source", default="", metavar="TEXT", help="Where it comes from.")
@adding
def command(
    session: Session, text: str, source: str, tags: tuple[str, ...], tier: Tier, as_json: bool
) -> None:
    """Keep a fact, until it is edited or retired.

    Its words are the text; `-` alone reads it from stdin. The same text is the same fact.
    """
    with session.engine() as engine:
        kept = engine.memory.add_fact(given(text), source=source, tags=tags, tier=tier)
    out = Output()
    if as_json:
        out.document(wire.fact(kept))
    else:
        Listing(out).facts([kept])
