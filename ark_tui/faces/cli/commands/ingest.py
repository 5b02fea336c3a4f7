"""`ark-tui ingest`: a text without a file into the store."""

from __future__ import annotations

import sys

import click

from ark_tui.domain.errors import UsageError
from ark_tui.faces.cli.output import Ink, Output
from ark_tui.faces.cli.session import Session, face, keyed, pass_session
from ark_tui.faces.cli.words import FreeText, joined
from ark_tui.faces.reports import wire

STDIN = "-"


@click.command(
    "ingest", cls=FreeText, epilog="Example: pbpaste | ark-tui ingest - --title Minutes --tag team"
)
@click.argument("text", nargs=-1, callback=joined)
@click.option("--title", default="", help="What to call it; otherwise its first line.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Tag it; may be given several times.")
@click.option("--source", default="", help="Where it comes from; the same source is the same document.")
@click.option("--collection", metavar="NAME", default="default", show_default=True, help="Where to put it.")
@keyed
@face
@pass_session
def command(
    session: Session,
    text: str,
    title: str,
    tags: tuple[str, ...],
    source: str,
    collection: str,
    as_json: bool,
) -> None:
    """Store a text that has no file.

    Its words are the text; `-` alone reads it from stdin.
    """
    body = sys.stdin.buffer.read().decode("utf-8", "replace") if text == STDIN else text
    if not body.strip():
        raise UsageError("There is no text to store.", "Give it as words, or pipe it: … | ark-tui ingest -")
    with session.engine() as engine:
        stored = engine.ingest_text(body, title=title, tags=tags, source=source, collection=collection)
    out = Output()
    if as_json:
        out.document({"document": wire.document(stored)})
    else:
        out.line(Ink(stored.short_id, "strong"), f"  {stored.title}")
