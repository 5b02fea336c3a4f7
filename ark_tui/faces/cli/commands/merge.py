"""`ark-tui merge`: one document in the place of several that say the same."""

from __future__ import annotations

import click

from ark_tui.faces.cli import curating
from ark_tui.faces.cli.session import Session, face, pass_session


@click.command("merge", epilog="Example: ark-tui merge theory/gap.md old/gap.md")
@click.argument("keep", metavar="KEEP")
@click.argument("others", nargs=-1, required=True, metavar="REF...")
@face
@pass_session
def command(session: Session, keep: str, others: tuple[str, ...], as_json: bool) -> None:
    """Merge duplicates into one document.

    The others go into the trash, superseded by KEEP, which gets their tags, links, pins and judgments. No
    text is changed, and `ark-tui undo` splits them again.
    """
    with session.engine() as engine:
        done = engine.curation.merge(keep, others)
    curating.tell(session, done, as_json=as_json)
