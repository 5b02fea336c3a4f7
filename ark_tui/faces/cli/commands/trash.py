"""`ark-tui trash`: documents out of sight."""

from __future__ import annotations

import click

from ark_tui.faces.cli import curating
from ark_tui.faces.cli.session import Session, face, pass_session


@click.command("trash", epilog="Example: ark-tui trash drafts/old.md")
@click.argument("refs", nargs=-1, metavar="[REF]...")
@face
@pass_session
def command(session: Session, refs: tuple[str, ...], as_json: bool) -> None:
    """Trash documents; without a REF, list the trash.

    Nothing finds them there. Their text is kept, their files stay as they are and are not taken up again.
    `ark-tui untrash` brings them back, `ark-tui purge` deletes them for good.
    """
    with session.engine() as engine:
        if refs:
            curating.tell(session, engine.curation.trash(refs), as_json=as_json)
            return
        found = engine.curation.trashed()
    curating.show(session, found, "The trash is empty.", as_json=as_json)
