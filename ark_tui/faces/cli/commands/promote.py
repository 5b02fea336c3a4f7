"""`ark-tui promote`: how far something is trusted, and how far derived."""

from __future__ import annotations

import click

from ark_tui.faces.cli import moves
from ark_tui.faces.cli.session import Session, face, pass_session, scoped


@click.command(
    "promote", epilog="Example: ark-tui promote '#3fa9c1' --layer semantic --reason 'it holds in general'"
)
@click.argument("ref")
@click.option("--tier", metavar="TIER", help="doc, raw, reflection or wiki.")
@click.option("--layer", metavar="LAYER", help="2 episodic, 3 semantic, 4 pattern or 9 directive.")
@click.option("--reason", default="", help="Why; it is kept, and wanted for every change.")
@scoped
@face
@pass_session
def command(
    session: Session, ref: str, tier: str | None, layer: str | None, reason: str, as_json: bool
) -> None:
    """Move a memory to another tier or layer.

    Up or down; the reason is kept. A message stays where it is, and a memory is made of it. Without --tier
    and --layer, print where it stands and why.
    """
    with session.engine() as engine:
        agent = engine.memory.scope().agent
        if layer is not None:
            ref = engine.memory.tiers.layer(ref, layer, reason, agent).id
        if tier is not None:
            engine.memory.tiers.tier(ref, tier, reason, agent)
        moves.show(session, engine, ref, as_json=as_json)
