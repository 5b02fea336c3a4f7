"""`ark-tui backup`: the store and the configuration in one file."""

from __future__ import annotations

from pathlib import Path

import click

from ark_tui.faces.cli.output import Output
from ark_tui.faces.cli.session import Session, face, pass_session


@click.command("backup", epilog="Example: ark-tui backup /mnt/usb/")
@click.argument("to", required=False, type=click.Path(path_type=Path))
@face
@pass_session
def command(session: Session, to: Path | None, as_json: bool) -> None:
    """Write a backup and print its path.

    TO is a file or a folder; without it the backup goes into the home's backups folder.
    """
    with session.engine() as engine:
        written = engine.backup(to)
    out = Output()
    if as_json:
        out.document({"backup": str(written)})
    else:
        out.line(str(written))
