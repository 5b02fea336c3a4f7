"""`ark-tui unpin`: pinned documents go back into the row."""

from __future__ import annotations

import click

from ark_tui.faces.cli import curating
from ark_tui.faces.cli.session import Session, face, pass_session


@click.command("unpin", epilog="Example: ark-tui unpin theory/gap.md")
@click.argument("refs", nargs=-1, required=True, metavar="REF...")
@face
@pass_session
def command(session: Session, refs: tuple[str, ...], as_json: bool) -> None:
    """Unpin documents."""
    with session.engine() as engine:
        done = engine.curation.pin(refs, on=False)
    curating.tell(session, done, as_json=as_json)
