"""`ark-tui untag`: tags off documents."""

from __future__ import annotations

import click

from ark_tui.faces.cli import curating
from ark_tui.faces.cli.session import Session, face, pass_session


@click.command("untag", epilog="Example: ark-tui untag draft @1 @2")
@click.argument("tags", metavar="TAG[,TAG]")
@click.argument("refs", nargs=-1, required=True, metavar="REF...")
@face
@pass_session
def command(session: Session, tags: str, refs: tuple[str, ...], as_json: bool) -> None:
    """Take tags off documents.

    A tag that the file itself states stays off, whatever the file says later. The file is not written to.
    """
    with session.engine() as engine:
        done = engine.curation.untag(refs, tags.split(","))
    curating.tell(session, done, as_json=as_json)
