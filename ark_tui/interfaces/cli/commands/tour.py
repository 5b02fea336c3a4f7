"""`ark-tui tour`: the workbench, with six steps to be done in it."""

from __future__ import annotations

import click

from ark_tui.interfaces.cli import app
from ark_tui.interfaces.cli.session import Session, face, pass_session


@click.command("tour", epilog="Example: ark-tui tour --home /tmp/tour")
@face
@pass_session
def command(session: Session, as_json: bool) -> None:
    """Get to know the workbench in a minute and a half.

    Six steps over the sample notes, each done by your own keys: take in, search, read, see why, tag, undo.
    Escape ends the tour. The notes become a collection of the home; --home names another one to try it in.
    """
    del as_json  # there is nothing to print but an error, which knows of it
    app.workbench(session, tour=True)
