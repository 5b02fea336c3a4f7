"""`ark-tui history-search`: messages by their words."""

from __future__ import annotations

import click

from ark_tui.domain.errors import UsageError
from ark_tui.faces.cli import sayings
from ark_tui.faces.cli.conversation import conversation as of_conversation
from ark_tui.faces.cli.session import Session, face, pass_session, scoped
from ark_tui.faces.cli.words import FreeText, joined


@click.command("history-search", cls=FreeText, epilog="Example: ark-tui history-search otters type:user")
@click.argument("query", nargs=-1, callback=joined)
@click.option("-n", "--limit", type=click.IntRange(1), default=20, show_default=True, help="How many.")
@click.option("--offset", type=click.IntRange(0), default=0, show_default=True, help="How many to leave out.")
@of_conversation
@scoped
@face
@pass_session
def command(session: Session, query: str, limit: int, offset: int, conversation: str, as_json: bool) -> None:
    """Search what was said in the session.

    The best come first. The query may hold a "phrase", -words and filters: type:ROLE is who said it,
    before: and after: when.
    """
    if not query.strip():
        raise UsageError("There is nothing to search for.", "As in: ark-tui history-search otters")
    with session.engine() as engine:
        scope = engine.memory.scope()
        page = engine.memory.conversations.search(
            scope, query, conversation=conversation, limit=limit, offset=offset
        )
    sayings.show(page, scope, as_json=as_json)
    if not page.messages and not as_json:
        session.say.notice(f"Nothing found in {scope.name}.")
