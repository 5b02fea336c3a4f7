"""`ark-tui unlink`: links from one document to another away."""

from __future__ import annotations

import click

from ark_tui.faces.cli import curating
from ark_tui.faces.cli.session import Session, face, pass_session


@click.command("unlink", epilog="Example: ark-tui unlink draft.md theory/gap.md")
@click.argument("ref", metavar="REF")
@click.argument("target", metavar="TARGET")
@click.option("--as", "relation", metavar="RELATION", default="", help="Only links of this relation.")
@face
@pass_session
def command(session: Session, ref: str, target: str, relation: str, as_json: bool) -> None:
    """Take the links from a document to another away.

    Those that its file states stay away, whatever the file says later. The file is not written to.
    """
    with session.engine() as engine:
        done = engine.curation.unlink(ref, target, relation)
    curating.tell(session, done, as_json=as_json)
