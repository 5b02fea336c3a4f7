"""`ark-tui analyze`: the shape of the corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import click

from ark_tui.domain.analysis import WHATS, What
from ark_tui.domain.errors import UsageError
from ark_tui.faces.cli.output import Output
from ark_tui.faces.cli.session import Session, face, pass_session, stoppable

if TYPE_CHECKING:
    from collections.abc import Sequence

EVERYTHING = "all"


@click.command("analyze", epilog="Example: ark-tui analyze --what novelty,bridges -n 5")
@click.option(
    "--what", metavar="NAMES", default=EVERYTHING, show_default=True,
    help=f"Which measures, with commas between: {', '.join(WHATS)}.",
)  # fmt: skip
@click.option(
    "-n", "--limit", type=click.IntRange(1, 1000), default=10, show_default=True,
    help="How many documents a list has.",
)  # fmt: skip
@click.option(
    "--resolution", type=click.FloatRange(0.1, 5.0), default=1.0, show_default=True,
    help="Of the communities: the larger, the smaller they are.",
)  # fmt: skip
@click.option("--plain", is_flag=True, help="No colour.")
@face
@pass_session
def command(session: Session, what: str, limit: int, resolution: float, plain: bool, as_json: bool) -> None:
    """Say what is novel, what connects, where gaps are.

    Measured are the documents' vectors and the links between them. What was measured is kept until the
    corpus changes, so the second run only reads. Ctrl-C stops; what was finished is kept. What each measure
    means, and when not to trust it: docs/analysis.md.
    """
    names = _names(what)
    with session.engine() as engine, stoppable(engine) as stop, session.say.progress() as progress:
        done = engine.analysis.run(names, limit=limit, resolution=resolution, stop=stop, progress=progress)
    if as_json:
        from ark_tui.faces.reports import wire_analysis

        Output().document(wire_analysis.analysis(done))
        return
    from ark_tui.faces.cli.analysis import Findings

    Findings(Output(plain=plain), done).show()


def _names(what: str) -> Sequence[What]:
    """The measures that a list names, each once, in their usual order."""
    wanted = {name.strip() for name in what.split(",")} - {""}
    if wanted == {EVERYTHING}:
        return WHATS
    if unknown := sorted(wanted - set(WHATS)):
        raise UsageError(
            f"There is no measure {unknown[0]}.", f"Measures: {', '.join(WHATS)}; or {EVERYTHING}."
        )
    if not wanted:
        raise UsageError("No measure is named.", f"Measures: {', '.join(WHATS)}; or {EVERYTHING}.")
    return cast("Sequence[What]", [name for name in WHATS if name in wanted])
