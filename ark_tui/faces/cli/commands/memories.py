"""`ark-tui memories`: what is remembered, apart from messages."""

from __future__ import annotations

import click

from ark_tui.domain.memory import LAYERS, layer, tier
from ark_tui.faces.cli.output import WIDTH, Ink, Output
from ark_tui.faces.cli.session import Session, face, pass_session, scoped
from ark_tui.faces.reports import wire_memory


@click.command("memories", epilog="Example: ark-tui memories --layer semantic --tier wiki")
@click.option("--layer", "layers", multiple=True, metavar="LAYER", help="Only this layer, by number or name.")
@click.option("--tier", "tiers", multiple=True, metavar="TIER", help="Only this tier.")
@click.option("--retired", is_flag=True, help="The retired ones, too.")
@scoped
@face
@pass_session
def command(
    session: Session, layers: tuple[str, ...], tiers: tuple[str, ...], retired: bool, as_json: bool
) -> None:
    """List what is remembered, apart from messages.

    The oldest come first. Those past their retention are listed, too: they have only left the searches.
    """
    with session.engine() as engine:
        scope = engine.memory.scope()
        found = engine.memory.items.list(
            scope, layers=[layer(one) for one in layers], tiers=[tier(one) for one in tiers], retired=retired
        )
        now = engine.settings.clock.now()
    out = Output()
    if as_json:
        out.document(wire_memory.items(found))
        return
    from ark_tui.faces.cli.layout import short

    for one in found:
        about = one.document
        whose = "" if scope.whole else f"  {one.scope.name}"
        over = "  retired" if one.retired else "  faded" if one.until and one.until <= now else ""
        where = f"  {LAYERS.get(about.layer, 'note'):<9} {about.tier:<10}"
        room = WIDTH - len(about.short_id) - len(where) - len(over) - len(whose) - 2
        out.line(
            Ink(about.short_id, "strong"), Ink(where, "faint"), f"  {short(about.title, room)}",
            Ink(over + whose, "faint"),
        )  # fmt: skip
    if not found:
        session.say.notice(f"Nothing is remembered in {scope.name}.")
