"""`ark-tui scratch-restore`: an earlier value of a key brought back."""

from __future__ import annotations

import click

from ark_tui.faces.cli.output import Output
from ark_tui.faces.cli.session import Session, face, pass_session, scoped
from ark_tui.faces.reports import wire_memory


@click.command("scratch-restore", epilog="Example: ark-tui scratch-restore plan 3")
@click.argument("key")
@click.argument("version", type=click.IntRange(1), required=False)
@scoped
@face
@pass_session
def command(session: Session, key: str, version: int | None, as_json: bool) -> None:
    """Bring an earlier value of a key back.

    Where no VERSION is named, it is the one before today's.
    """
    with session.engine() as engine:
        kept = engine.memory.scratch.restore(engine.memory.scope(), key, version)
    if as_json:
        Output().document(wire_memory.scratch(kept))
    else:
        Output().block(kept.value)
