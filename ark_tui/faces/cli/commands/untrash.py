"""`ark-tui untrash`: documents back from the trash."""

from __future__ import annotations

import click

from ark_tui.faces.cli import curating
from ark_tui.faces.cli.session import Session, face, pass_session


@click.command("untrash", epilog="Example: ark-tui untrash #3fa9c1")
@click.argument("refs", nargs=-1, required=True, metavar="REF...")
@face
@pass_session
def command(session: Session, refs: tuple[str, ...], as_json: bool) -> None:
    """Bring documents back from the trash, as they were."""
    with session.engine() as engine:
        done = engine.curation.untrash(refs)
    curating.tell(session, done, as_json=as_json)
