"""`ark-tui tag`: a tag onto documents."""

from __future__ import annotations

import click

from ark_tui.faces.cli import curating
from ark_tui.faces.cli.session import Session, face, pass_session


@click.command("tag", epilog="Example: ark-tui tag draft,theory #3fa9c1 notes/gap.md")
@click.argument("tags", metavar="TAG[,TAG]")
@click.argument("refs", nargs=-1, required=True, metavar="REF...")
@face
@pass_session
def command(session: Session, tags: str, refs: tuple[str, ...], as_json: bool) -> None:
    """Tag documents.

    The tags stay when the files change. A REF is an id (#3fa9c1), a path, a file's name, or @1 for the first
    hit of the last search. `ark-tui undo` takes it back.
    """
    with session.engine() as engine:
        done = engine.curation.tag(refs, tags.split(","))
    curating.tell(session, done, as_json=as_json)
