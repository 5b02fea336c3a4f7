"""`ark-tui history-add`: something that was said."""

from __future__ import annotations

import click

from ark_tui.domain.errors import UsageError
from ark_tui.domain.memory import DEFAULT, ROLES
from ark_tui.faces.cli.output import Ink, Output
from ark_tui.faces.cli.session import Session, face, keyed, pass_session, scoped
from ark_tui.faces.cli.words import FreeText, or_stdin
from ark_tui.faces.reports import wire_memory


@click.command("history-add", cls=FreeText, epilog="Example: ark-tui history-add user where do otters sleep?")
@click.argument("words", nargs=-1, metavar="ROLE TEXT")
@click.option(
    "--conversation", default=DEFAULT, show_default=True, metavar="ID", help="The conversation it belongs to."
)
@click.option(
    "--query-id", default="", metavar="ID", help="What it belongs to; by default the latest question."
)
@keyed
@scoped
@face
@pass_session
def command(
    session: Session, words: tuple[str, ...], conversation: str, query_id: str, as_json: bool
) -> None:
    """Keep a message. ROLE is user, assistant, system or tool.

    All words after the role are the text; `-` alone reads it from stdin. What a user says begins a query of
    its own, which the answers belong to.
    """
    if len(words) < 2:
        raise UsageError("A role and a text are wanted.", f"The roles are {', '.join(ROLES)}.")
    text = or_stdin(" ".join(words[1:]))
    with session.engine() as engine:
        said = engine.memory.conversations.add(
            engine.memory.scope(), words[0], text, conversation=conversation, query_id=query_id
        )
    out = Output()
    if as_json:
        out.document({"message": wire_memory.message(said)})
    else:
        out.line(Ink(f"#{said.id[:6]}", "strong"), f"  {said.conversation_id}/{said.sequence}")
