"""`ark-tui subgraph`: the surroundings of a document."""

from __future__ import annotations

import click

from ark_tui.domain.wording import counted
from ark_tui.faces.cli.output import Ink, Output
from ark_tui.faces.cli.session import Session, face, pass_session
from ark_tui.faces.reports import wire_graph


@click.command("subgraph", epilog="Example: ark-tui subgraph bm25 --depth 2 --json")
@click.argument("root")
@click.option(
    "--depth", type=click.IntRange(1, 5), default=1, show_default=True, help="How many links around it."
)
@face
@pass_session
def command(session: Session, root: str, depth: int, as_json: bool) -> None:
    """List the links around a document.

    All documents within so many links of ROOT, in either direction, and every link between two of them.
    """
    with session.engine() as engine:
        found = engine.graph.subgraph(root, depth=depth)
    out = Output()
    if as_json:
        out.document(wire_graph.subgraph(found))
        return
    from ark_tui.faces.cli.layout import short

    session.say.notice(f"{counted(len(found.nodes), 'document')}, {counted(len(found.edges), 'link')}")
    titles = {one.id: one.title for one in found.nodes}
    for edge in found.edges:
        out.line(
            short(titles[edge.source], 30), Ink(f" — {edge.relation} → ", "structure"),
            short(titles[edge.target], 30),
        )  # fmt: skip
