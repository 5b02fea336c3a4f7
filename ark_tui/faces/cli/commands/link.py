"""`ark-tui link`: one document to another."""

from __future__ import annotations

import click

from ark_tui.faces.cli import curating
from ark_tui.faces.cli.session import Session, face, pass_session


@click.command("link", epilog="Example: ark-tui link draft.md theory/gap.md --as builds_on")
@click.argument("ref", metavar="REF")
@click.argument("target", metavar="TARGET")
@click.option(
    "--as", "relation", metavar="RELATION", default="links_to", show_default=True, help="What it means."
)
@face
@pass_session
def command(session: Session, ref: str, target: str, relation: str, as_json: bool) -> None:
    """Link a document to another.

    RELATION is links_to, builds_on, derives_from, contradicts, tensions, superseded_by or post_mortem. The
    link stays when either of them is renamed or changed.
    """
    with session.engine() as engine:
        done = engine.curation.link(ref, target, relation)
    curating.tell(session, done, as_json=as_json)
