"""`ark-tui searches`: the searches that were run."""

from __future__ import annotations

import click

from ark_tui.faces.cli.output import WIDTH, Ink, Output
from ark_tui.faces.cli.session import Session, face, pass_session
from ark_tui.faces.reports import wire


@click.command("searches", epilog="Example: ark-tui searches -n 5")
@click.option("-n", "--limit", type=click.IntRange(1), default=20, show_default=True, help="How many.")
@face
@pass_session
def command(session: Session, limit: int, as_json: bool) -> None:
    """List the searches that were run, the newest first.

    Each has an id, by which `ark-tui rerun` runs it again. A search that was only typed is not among them.
    """
    with session.engine() as engine:
        kept = engine.search_log(limit)
    out = Output()
    if as_json:
        out.document(wire.searches(kept))
        return
    if not kept:
        session.say.notice("No search has been run yet: ark-tui search some words")
    from ark_tui.faces.cli.layout import fit, short

    for one in kept:
        about = f"  {one.at:%Y-%m-%d %H:%M}  {len(one.answers):>3} hits  {fit(one.request.profile, 8)}  "
        out.line(one.id, Ink(about, "faint"), short(one.query, WIDTH - len(one.id) - len(about)))
