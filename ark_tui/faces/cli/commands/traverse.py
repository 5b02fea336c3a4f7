"""`ark-tui traverse`: what a document leads to, link by link."""

from __future__ import annotations

from typing import cast

import click

from ark_tui.domain.graph import DIRECTIONS, RELATIONS, Direction, Relation
from ark_tui.faces.cli.output import WIDTH, Ink, Output
from ark_tui.faces.cli.session import Session, face, pass_session
from ark_tui.faces.reports import wire_graph


@click.command("traverse", epilog="Example: ark-tui traverse adr-003 --type superseded_by --direction both")
@click.argument("ref")
@click.option("--type", "kind", type=click.Choice(RELATIONS), help="Only along links of this kind.")
@click.option(
    "--depth", type=click.IntRange(1, 10), default=3, show_default=True, help="How many links to go."
)
@click.option(
    "--direction", type=click.Choice(DIRECTIONS), default="outgoing", show_default=True,
    help="The way that links point, or against it.",
)  # fmt: skip
@face
@pass_session
def command(session: Session, ref: str, kind: str | None, depth: int, direction: str, as_json: bool) -> None:
    """Walk along links from a document, nearest first.

    REF is an id (short ones such as #3fa9c1 will do), a path or a file's name. Links of any other kind than
    the four typed ones are `untyped`. Links to notes that are not there are no part of the graph.
    """
    with session.engine() as engine:
        found = engine.graph.traverse(
            ref, type=cast("Relation | None", kind), depth=depth, direction=cast("Direction", direction)
        )
    out = Output()
    if as_json:
        out.document(wire_graph.walk(found))
        return
    from ark_tui.faces.cli.layout import fit, short

    if not found.reached:
        session.say.notice(f"No such link leads on from {found.root.title}.")
    for one in found.reached:
        arrow = "→" if one.edge.target == one.document.id else "←"
        before = f"{'  ' * (one.depth - 1)}{arrow} {one.document.short_id}  "
        title = fit(one.document.title, 44 - 2 * one.depth)
        after = f"  {one.edge.relation}"
        rest = WIDTH - len(before) - (44 - 2 * one.depth) - len(after) - 2
        out.line(
            Ink(before, "faint"),
            title,
            Ink(after, "structure"),
            "  ",
            Ink(short(one.document.path, rest), "faint"),
        )
