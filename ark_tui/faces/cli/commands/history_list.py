"""`ark-tui history-list`: what was said."""

from __future__ import annotations

import click

from ark_tui.faces.cli import sayings
from ark_tui.faces.cli.conversation import conversation as of_conversation
from ark_tui.faces.cli.session import Session, face, pass_session, scoped


@click.command("history-list", epilog="Example: ark-tui history-list -n 20 --conversation default")
@click.option("-n", "--limit", type=click.IntRange(1), default=100, show_default=True, help="How many.")
@click.option("--offset", type=click.IntRange(0), default=0, show_default=True, help="How many to leave out.")
@click.option("--oldest", is_flag=True, help="Count from the beginning, not from the end.")
@click.option("--query-id", default="", metavar="ID", help="Only what belongs to this query.")
@of_conversation
@scoped
@face
@pass_session
def command(
    session: Session,
    limit: int,
    offset: int,
    oldest: bool,
    query_id: str,
    conversation: str,
    as_json: bool,
) -> None:
    """List the latest messages of the session.

    They come from all its conversations, in the order they were said.
    """
    with session.engine() as engine:
        scope = engine.memory.scope()
        page = engine.memory.conversations.messages(
            scope,
            conversation=conversation,
            query_id=query_id,
            limit=limit,
            offset=offset,
            newest=not oldest,
        )
    sayings.show(page, scope, as_json=as_json)
    if not page.messages and not as_json:
        session.say.notice("Nothing has been said: ark-tui history-add user SOMETHING")
    elif page.total > len(page.messages) and not as_json:
        session.say.notice(f"{len(page.messages)} of {page.total:,} messages.")
