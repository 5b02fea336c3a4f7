"""`ark-tui conversations`: the conversations of a session."""

from __future__ import annotations

import click

from ark_tui.domain.wording import counted
from ark_tui.faces.cli.output import Ink, Output
from ark_tui.faces.cli.session import Session, face, pass_session, scoped
from ark_tui.faces.reports import wire_memory


@click.command("conversations", epilog="Example: ark-tui conversations --agent ALL --session ALL")
@scoped
@face
@pass_session
def command(session: Session, as_json: bool) -> None:
    """List the conversations of the session."""
    with session.engine() as engine:
        scope = engine.memory.scope()
        found = engine.memory.conversations.list(scope)
    out = Output()
    if as_json:
        out.document(wire_memory.conversations(found))
        return
    for one in found:
        whose = "" if scope.whole else f"  {one.scope.name}"
        about = f"  {counted(one.messages, 'message')} since {one.created:%Y-%m-%d %H:%M}{whose}"
        out.line(Ink(one.id, "strong"), Ink(about, "faint"))
    if not found:
        session.say.notice(f"There is no conversation in {scope.name}: ark-tui history-add user SOMETHING")
