"""`ark-tui scratch-delete`: a key off the scratchpad."""

from __future__ import annotations

import click

from ark_tui.faces.cli.output import Output
from ark_tui.faces.cli.session import Session, face, pass_session, scoped
from ark_tui.faces.reports import wire_memory


@click.command("scratch-delete", epilog="Example: ark-tui scratch-delete plan")
@click.argument("key")
@scoped
@face
@pass_session
def command(session: Session, key: str, as_json: bool) -> None:
    """Take a key off the scratchpad. `scratch-restore KEY` brings it back."""
    with session.engine() as engine:
        was = engine.memory.scratch.delete(engine.memory.scope(), key)
    if as_json:
        Output().document({"deleted": True, **wire_memory.scratch(was)} | {"deleted": True})
    else:
        session.say.notice(f"Deleted; to bring it back: ark-tui scratch-restore {key}")
