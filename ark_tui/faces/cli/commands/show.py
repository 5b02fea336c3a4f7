"""`ark-tui show`: a document, a chunk or some lines of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from ark_tui.faces.cli.output import Ink, Output, Piece
from ark_tui.faces.cli.session import Session, face, pass_session
from ark_tui.faces.reports import wire

if TYPE_CHECKING:
    from ark_tui.domain.documents import Passage


@click.command("show", epilog="Example: ark-tui show theory/gap.md:41:10")
@click.argument("ref")
@click.option("-q", "--query", default="", help="Mark what matches these words.")
@face
@pass_session
def command(session: Session, ref: str, query: str, as_json: bool) -> None:
    """Print a document's text.

    REF is an id (short ones such as #3fa9c1 will do), a chunk's id, a path, or PATH:FROM:COUNT for COUNT
    lines beginning with line FROM.
    """
    with session.engine() as engine:
        passage = engine.show(ref, query)
        uncounted = engine.opened(passage.document.id)
    out = Output()
    if as_json:
        out.document(wire.passage(passage))
        return
    session.say.notice(_place(passage))
    if uncounted:
        session.say.notice(f"That it was opened does not count: {uncounted.what}")
    out.block(*_marked(passage))


def _place(passage: Passage) -> str:
    found = passage.document
    lines = f"lines {passage.start_line}–{passage.end_line} of {passage.total_lines}"
    return f"{found.short_id} · {found.title} · {passage.file or found.path} · {lines}"


def _marked(passage: Passage) -> Iterator[Piece]:
    at = 0
    for start, end in passage.highlights:
        yield passage.text[at:start]
        yield Ink(passage.text[start:end], "match")
        at = end
    yield passage.text[at:]
