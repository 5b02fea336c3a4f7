"""`ark-tui conversations-delete`: a conversation and its messages, for good."""

from __future__ import annotations

import click

from ark_tui.domain.errors import UsageError
from ark_tui.faces.cli.output import Output
from ark_tui.faces.cli.session import Session, face, pass_session, scoped


@click.command("conversations-delete", epilog="Example: ark-tui conversations-delete plans --yes")
@click.argument("id_", metavar="ID")
@click.option("--yes", is_flag=True, help="Do it; without, only what would be deleted is said.")
@scoped
@face
@pass_session
def command(session: Session, id_: str, yes: bool, as_json: bool) -> None:
    """Delete a conversation with all its messages, for good.

    No file of the home has a byte of them afterwards but backups, which are named.
    """
    with session.engine() as engine:
        scope = engine.memory.scope()
        if not yes:
            count = engine.memory.conversations.messages(scope, conversation=id_, limit=0).total
            raise UsageError(
                f"{id_} has {count:,} messages, which would be deleted for good.", "Say --yes to do it."
            )
        count = engine.memory.conversations.delete(scope, id_)
        backups = engine.curation.backups()
    if as_json:
        done = {"status": "deleted", "conversation_id": id_, "messages": count, "remains": list(backups)}
        Output().document(done)
    else:
        session.say.notice(f"Deleted {id_} with {count:,} messages.")
        if backups:
            session.say.notice(f"Backups may still hold them: {', '.join(backups)}")
