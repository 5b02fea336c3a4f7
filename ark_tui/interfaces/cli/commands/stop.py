"""`ark-tui stop`: ends the home process."""

from __future__ import annotations

import os
from pathlib import Path

import click

from ark_tui.interfaces.cli.output import Output
from ark_tui.interfaces.cli.session import Session, face, pass_session
from ark_tui.interfaces.client import local


@click.command("stop", epilog="Example: ark-tui stop")
@face
@pass_session
def command(session: Session, as_json: bool) -> None:
    """End the home process, after pending writes.

    Jobs stop between two steps and continue later. The next command starts the process again.
    """
    ended = local.stop(local.place(session.home, os.environ, Path.cwd()))
    if as_json:
        Output().document({"stopped": ended})
    else:
        session.say.notice("Stopped." if ended else "No home process is running.")
