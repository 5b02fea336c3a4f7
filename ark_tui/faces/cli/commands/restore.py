"""`ark-tui restore`: a backup in place of the store."""

from __future__ import annotations

from pathlib import Path

import click

from ark_tui.domain.wording import counted
from ark_tui.faces.cli.output import Output
from ark_tui.faces.cli.session import Session, face, pass_session


@click.command("restore", epilog="Example: ark-tui restore ~/.ark/backups/ark-20260101T000000.zip")
@click.argument("backup", type=click.Path(path_type=Path))
@face
@pass_session
def command(session: Session, backup: Path, as_json: bool) -> None:
    """Put a backup in place of the store.

    The store that was there is kept aside, and its path printed.
    """
    with session.engine() as engine:
        kept = engine.restore(backup)
        state = engine.status()
    session.say.notice(f"Restored {counted(state.documents, 'document')} from {backup}.")
    out = Output()
    if as_json:
        out.document({"documents": state.documents, "kept": str(kept) if kept else None})
    elif kept:
        out.line(str(kept))
