"""`ark-tui directives-add`: keep a rule."""

from __future__ import annotations

import click

from ark_tui.domain.documents import Tier
from ark_tui.domain.knowledge import RULE_KINDS
from ark_tui.faces.cli.known import Listing, adding, given
from ark_tui.faces.cli.output import Output
from ark_tui.faces.cli.session import Session
from ark_tui.faces.cli.words import FreeText, joined
from ark_tui.faces.reports import wire_knowledge as wire


@click.command(
    "directives-add",
    cls=FreeText,
    epilog="Example: ark-tui directives-add MUST run the tests before a commit --scope src",
)
@click.argument("kind", metavar=f"[{'|'.join(RULE_KINDS)}]")
@click.argument("text", nargs=-1, callback=joined)
@click.option("--scope", "where", default="", metavar="NAME", help="Where it holds.  [default: everywhere]")
@click.option("--priority", type=int, default=0, show_default=True, help="A higher one comes first.")
@adding
def command(
    session: Session,
    kind: str,
    text: str,
    where: str,
    priority: int,
    tags: tuple[str, ...],
    tier: Tier,
    as_json: bool,
) -> None:
    """Keep a rule that contexts carry.

    Its words are the text; `-` alone reads it from stdin. A scope is a name or a path, and holds below it.
    """
    with session.engine() as engine:
        kept = engine.memory.add_directive(
            kind, given(text), where=where, priority=priority, tags=tags, tier=tier
        )
    out = Output()
    if as_json:
        out.document(wire.directive(kept))
    else:
        Listing(out).directives([kept])
