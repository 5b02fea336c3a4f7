"""`ark-tui tier`: how far documents are trusted."""

from __future__ import annotations

import click

from ark_tui.faces.cli import curating
from ark_tui.faces.cli.session import Session, face, pass_session


@click.command("tier", epilog="Example: ark-tui tier wiki theory/gap.md")
@click.argument("tier", metavar="TIER")
@click.argument("refs", nargs=-1, required=True, metavar="REF...")
@face
@pass_session
def command(session: Session, tier: str, refs: tuple[str, ...], as_json: bool) -> None:
    """Say of which tier documents are.

    Tiers: doc, raw, reflection, wiki. It counts more than what their front matter says.
    """
    with session.engine() as engine:
        done = engine.curation.tier(refs, tier)
    curating.tell(session, done, as_json=as_json)
