"""`ark-tui scopes`: whose memory there is."""

from __future__ import annotations

import click

from ark_tui.domain.wording import counted
from ark_tui.faces.cli.output import Ink, Output
from ark_tui.faces.cli.session import Session, face, pass_session
from ark_tui.faces.reports import wire_memory


@click.command("scopes", epilog="Example: ark-tui scopes --json")
@face
@pass_session
def command(session: Session, as_json: bool) -> None:
    """List every agent and session, and what they keep."""
    with session.engine() as engine:
        found = engine.memory.scopes()
    out = Output()
    if as_json:
        out.document(wire_memory.scopes(found))
        return
    for one in found:
        about = (
            f"  {counted(one.messages, 'message')} in {counted(one.conversations, 'conversation')}, "
            f"{one.items:,} {'memory' if one.items == 1 else 'memories'}, "
            f"{counted(one.tasks, 'task')}, {counted(one.scratch, 'key')}"
        )
        out.line(Ink(one.scope.name, "strong"), Ink(about, "faint"))
    if not found:
        session.say.notice("Nothing is remembered yet.")
