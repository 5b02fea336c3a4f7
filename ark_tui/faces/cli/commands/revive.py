"""`ark-tui revive`: a memory that was retired, back again."""

from __future__ import annotations

import click

from ark_tui.faces.cli.known import retiring
from ark_tui.faces.cli.output import Ink, Output
from ark_tui.faces.cli.session import Session
from ark_tui.faces.reports import wire_memory


@click.command("revive", epilog="Example: ark-tui revive 3fa9c1 --reason 'it holds again'")
@retiring
def command(session: Session, ref: str, reason: str, as_json: bool) -> None:
    """Bring a retired memory back.

    A fact, pattern, directive or another, with the status that it had; `--retired` of the lists shows which
    there are.
    """
    with session.engine() as engine:
        kept = engine.memory.revive(ref, reason)
    out = Output()
    if as_json:
        out.document(wire_memory.item(kept))
    else:
        out.line(Ink(kept.document.short_id, "strong"), f"  is back: {kept.document.title}")
