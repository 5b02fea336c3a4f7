"""`ark-tui remember`: a text that an agent wants to find again."""

from __future__ import annotations

import click

from ark_tui.faces.cli.known import given
from ark_tui.faces.cli.output import Ink, Output
from ark_tui.faces.cli.session import Session, face, keyed, pass_session, scoped
from ark_tui.faces.cli.words import FreeText, joined
from ark_tui.faces.reports import wire_knowledge as wire


@click.command(
    "remember", cls=FreeText, epilog="Example: ark-tui remember CI has no GPU --source 'run 218' --tag ci"
)
@click.argument("text", nargs=-1, callback=joined)
@click.option("--source", default="", metavar="TEXT", help="Where it comes from; needed.")
@click.option("--tier", default="raw", show_default=True, metavar="[raw|doc]", help="How far it is trusted.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Tag it; may be given several times.")
@click.option("--github-issue", type=int, metavar="NUMBER", help="The issue that it belongs to.")
@keyed
@scoped
@face
@pass_session
def command(
    session: Session,
    text: str,
    source: str,
    tier: str,
    tags: tuple[str, ...],
    github_issue: int | None,
    as_json: bool,
) -> None:
    """Keep a text with its source.

    The same text from the same source is kept once. Its words are the text; `-` alone
    reads it from stdin. It counts as a fact in contexts.
    """
    with session.engine() as engine:
        kept = engine.memory.remember(given(text), source, tier=tier, tags=tags, github_issue=github_issue)
    if kept.problem:
        session.say.warning(f"It is kept, but not indexed yet: {kept.problem}")
    out = Output()
    if as_json:
        out.document(wire.remembered(kept))
    else:
        out.line(Ink(kept.document.short_id, "strong"), f"  {kept.document.title}")
