"""`ark-tui directives-edit`: change a rule."""

from __future__ import annotations

import click

from ark_tui.domain.knowledge import RULE_KINDS
from ark_tui.faces.cli.known import Listing
from ark_tui.faces.cli.output import Output
from ark_tui.faces.cli.session import Session, face, pass_session
from ark_tui.faces.cli.words import FreeText, joined
from ark_tui.faces.reports import wire_knowledge as wire


@click.command(
    "directives-edit",
    cls=FreeText,
    epilog="Example: ark-tui directives-edit 3fa9c1 --kind PREFER --priority 5",
)
@click.argument("ref", metavar="ID")
@click.argument("text", nargs=-1, callback=joined)
@click.option("--kind", metavar=f"[{'|'.join(RULE_KINDS)}]", help="Another kind of rule.")
@click.option("--scope", "where", metavar="NAME", help="Where it holds; global for everywhere.")
@click.option("--priority", type=int, help="A higher one comes first.")
@face
@pass_session
def command(
    session: Session,
    ref: str,
    text: str,
    kind: str | None,
    where: str | None,
    priority: int | None,
    as_json: bool,
) -> None:
    """Change a rule's text, kind, scope or priority. It stays the same rule."""
    with session.engine() as engine:
        kept = engine.memory.edit_directive(ref, text or None, kind=kind, where=where, priority=priority)
    out = Output()
    if as_json:
        out.document(wire.directive(kept))
    else:
        Listing(out).directives([kept])
