"""`ark-tui patterns-edit`: another problem or solution for a pattern."""

from __future__ import annotations

import click

from ark_tui.faces.cli.known import Listing
from ark_tui.faces.cli.output import Output
from ark_tui.faces.cli.session import Session, face, pass_session
from ark_tui.faces.reports import wire_knowledge as wire


@click.command("patterns-edit", epilog="Example: ark-tui patterns-edit 3fa9c1 --solution 'a timeout of 60 s'")
@click.argument("ref", metavar="ID")
@click.option("--problem", metavar="TEXT", help="Another problem.")
@click.option("--solution", metavar="TEXT", help="Another solution.")
@face
@pass_session
def command(session: Session, ref: str, problem: str | None, solution: str | None, as_json: bool) -> None:
    """Give a pattern another problem or solution.

    Its confidence and its outcomes stay.
    """
    with session.engine() as engine:
        kept = engine.memory.edit_pattern(ref, problem, solution)
    out = Output()
    if as_json:
        out.document(wire.pattern(kept))
    else:
        Listing(out).patterns([kept])
