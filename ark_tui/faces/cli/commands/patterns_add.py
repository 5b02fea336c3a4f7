"""`ark-tui patterns-add`: keep what solves a problem."""

from __future__ import annotations

import click

from ark_tui.domain.documents import Tier
from ark_tui.faces.cli.known import Listing, adding, given
from ark_tui.faces.cli.output import Output
from ark_tui.faces.cli.session import Session
from ark_tui.faces.cli.words import FreeText, joined
from ark_tui.faces.reports import wire_knowledge as wire


@click.command(
    "patterns-add",
    cls=FreeText,
    epilog="Example: ark-tui patterns-add the tests hang on CI --solution 'set a timeout for each'",
)
@click.argument("problem", nargs=-1, callback=joined)
@click.option("--solution", required=True, metavar="TEXT", help="What solves it.")
@adding
def command(
    session: Session, problem: str, solution: str, tags: tuple[str, ...], tier: Tier, as_json: bool
) -> None:
    """Keep a problem and what solves it.

    Its confidence is 0.5 at first, and outcomes move it. The words are the problem;
    `-` alone reads it from stdin.
    """
    with session.engine() as engine:
        kept = engine.memory.add_pattern(given(problem), solution, tags=tags, tier=tier)
    out = Output()
    if as_json:
        out.document(wire.pattern(kept))
    else:
        Listing(out).patterns([kept])
