"""`ark-tui scratch-get`: what stands under a key of the scratchpad."""

from __future__ import annotations

import click

from ark_tui.faces.cli.output import WIDTH, Ink, Output
from ark_tui.faces.cli.session import Session, face, pass_session, scoped
from ark_tui.faces.reports import wire_memory


@click.command("scratch-get", epilog="Example: ark-tui scratch-get plan --history")
@click.argument("key")
@click.option("--history", is_flag=True, help="All that it has been, the oldest first.")
@scoped
@face
@pass_session
def command(session: Session, key: str, history: bool, as_json: bool) -> None:
    """Print what stands under a key of the scratchpad."""
    with session.engine() as engine:
        scope, pad = engine.memory.scope(), engine.memory.scratch
        found = pad.versions(scope, key) if history else (pad.get(scope, key),)
    out = Output()
    if as_json:
        out.document(
            wire_memory.scratch_values(found, "versions") if history else wire_memory.scratch(found[0])
        )
    elif not history:
        out.block(found[0].value)
    else:
        from ark_tui.faces.cli.layout import short

        for one in found:
            about = f"{one.version:>4}  {one.moment:%Y-%m-%d %H:%M}  "
            text = Ink("deleted", "faint") if one.deleted else short(one.value, WIDTH - len(about))
            out.line(Ink(about, "faint"), text)
