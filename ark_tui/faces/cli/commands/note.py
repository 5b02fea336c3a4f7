"""`ark-tui note`: a note into the store or the inbox, and other words for one of the store."""

from __future__ import annotations

import sys

import click

from ark_tui.domain.errors import UsageError
from ark_tui.faces.cli import curating
from ark_tui.faces.cli.session import Session, face, pass_session
from ark_tui.faces.cli.words import FreeText, joined

STDIN = "-"


@click.command("note", cls=FreeText, epilog="Example: ark-tui note buy rice --tag shopping")
@click.argument("text", nargs=-1, callback=joined)
@click.option("--title", help="What to call it; otherwise its first heading or its first words.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Tag it; may be given several times.")
@click.option("--store", is_flag=True, help="Into the store, also where an inbox is configured.")
@click.option("--replace", metavar="REF", help="Give a note of the store this text, or --title, instead.")
@face
@pass_session
def command(
    session: Session,
    text: str,
    title: str | None,
    tags: tuple[str, ...],
    store: bool,
    replace: str | None,
    as_json: bool,
) -> None:
    """Add a note.

    It becomes a new Markdown file in the folder that the setting `inbox` names, else a text of the store. Its
    words are the text; `-` alone reads it from stdin. No file is ever changed.
    """
    body = sys.stdin.buffer.read().decode("utf-8", "replace") if text == STDIN else text
    settings = session.settings()
    with session.engine() as engine:
        if replace is not None:
            if not body.strip() and title is None:
                raise UsageError("There is nothing to replace.", "Give a text, --title, or both.")
            done = engine.curation.rewrite_note(replace, title=title, text=body if body.strip() else None)
        elif settings.inbox and not store:
            done = engine.curation.note_to_inbox(body, title=title or "", tags=tags)
        else:
            done = engine.curation.note(body, title=title or "", tags=tags)
    curating.tell(session, done, as_json=as_json)
