"""`ark-tui pin`: documents to the top."""

from __future__ import annotations

import click

from ark_tui.faces.cli import curating
from ark_tui.faces.cli.session import Session, face, pass_session


@click.command("pin", epilog="Example: ark-tui pin theory/gap.md")
@click.argument("refs", nargs=-1, metavar="[REF]...")
@face
@pass_session
def command(session: Session, refs: tuple[str, ...], as_json: bool) -> None:
    """Pin documents; without a REF, list the pinned ones.

    They come first in lists and are marked in hits. No score knows of it.
    """
    with session.engine() as engine:
        if refs:
            curating.tell(session, engine.curation.pin(refs), as_json=as_json)
            return
        found = engine.curation.pinned()
    curating.show(session, found, "Nothing is pinned: ark-tui pin #3fa9c1", as_json=as_json)
