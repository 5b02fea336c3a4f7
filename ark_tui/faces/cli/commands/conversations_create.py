"""`ark-tui conversations-create`: a conversation begun."""

from __future__ import annotations

import click

from ark_tui.faces.cli.output import Output
from ark_tui.faces.cli.session import Session, face, keyed, pass_session, scoped
from ark_tui.faces.reports import wire_memory


@click.command("conversations-create", epilog="Example: ark-tui conversations-create plans")
@click.argument("id_", metavar="[ID]", required=False, default="")
@keyed
@scoped
@face
@pass_session
def command(session: Session, id_: str, as_json: bool) -> None:
    """Begin a conversation and print its id.

    It gets an id of its own where none is given.
    """
    with session.engine() as engine:
        made = engine.memory.conversations.create(engine.memory.scope(), id_)
    if as_json:
        Output().document(wire_memory.conversation(made))
    else:
        Output().line(made.id)
