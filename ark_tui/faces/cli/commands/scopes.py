"""`ark-tui scopes`: whose memory there is."""

from __future__ import annotations

import click

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
            f"  {one.messages:,} messages in {one.conversations:,} conversations, {one.items:,} memories, "
            f"{one.tasks:,} tasks, {one.scratch:,} keys"
        )
        out.line(Ink(one.scope.name, "strong"), Ink(about, "faint"))
    if not found:
        session.say.notice("Nothing is remembered yet.")
