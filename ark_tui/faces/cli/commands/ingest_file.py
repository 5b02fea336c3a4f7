"""`ark-tui ingest-file`: one file into the store."""

from __future__ import annotations

from pathlib import Path

import click

from ark_tui.faces.cli.commands.index import describe
from ark_tui.faces.cli.output import Output
from ark_tui.faces.cli.session import Session, face, pass_session
from ark_tui.faces.reports import wire


@click.command("ingest-file", epilog="Example: ark-tui ingest-file paper.md --tag reading")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Tag it; may be given several times.")
@face
@pass_session
def command(session: Session, path: Path, tags: tuple[str, ...], as_json: bool) -> None:
    """Store one file.

    It is followed from then on, as the files of indexed folders are.
    """
    with session.engine() as engine:
        report = engine.ingest_file(path, tags=tags)
    out = Output()
    if as_json:
        out.document(wire.index(report))
    else:
        describe(out, session.say, report)
