"""`ark-tui scratch-list`: the scratchpad."""

from __future__ import annotations

import click

from ark_tui.faces.cli.output import WIDTH, Ink, Output
from ark_tui.faces.cli.session import Session, face, pass_session, scoped
from ark_tui.faces.reports import wire_memory

KEY = 20  # cells


@click.command("scratch-list", epilog="Example: ark-tui scratch-list --agent ALL --session ALL")
@scoped
@face
@pass_session
def command(session: Session, as_json: bool) -> None:
    """List what stands under every key of the scratchpad."""
    with session.engine() as engine:
        scope = engine.memory.scope()
        found = engine.memory.scratch.list(scope)
    out = Output()
    if as_json:
        out.document(wire_memory.scratch_values(found))
        return
    if not found:
        session.say.notice(f"The scratchpad of {scope.name} is empty: ark-tui scratch-set KEY VALUE")
    from ark_tui.faces.cli.layout import fit, short

    for one in found:
        whose = "" if scope.whole else f"{one.scope.name}  "
        value = short(one.value, max(WIDTH - KEY - 2 - len(whose), 10))
        out.line(Ink(whose, "faint"), Ink(fit(one.key, KEY), "strong"), "  ", value)
