"""`ark-tui redo`: what was undone, again."""

from __future__ import annotations

import click

from ark_tui.faces.cli import curating
from ark_tui.faces.cli.session import Session, face, pass_session


@click.command("redo", epilog="Example: ark-tui redo")
@face
@pass_session
def command(session: Session, as_json: bool) -> None:
    """Do again what was undone last.

    There is nothing to redo after another edit.
    """
    with session.engine() as engine:
        done = engine.curation.redo()
    curating.tell(session, done, as_json=as_json)
