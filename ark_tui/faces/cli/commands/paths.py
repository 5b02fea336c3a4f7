"""`ark-tui paths`: how one document is linked with another."""

from __future__ import annotations

import click

from ark_tui.faces.cli.output import Ink, Output
from ark_tui.faces.cli.session import Session, face, pass_session
from ark_tui.faces.reports import wire_graph


@click.command("paths", epilog="Example: ark-tui paths fiedler-vector bm25 --depth 3")
@click.argument("source")
@click.argument("target")
@click.option(
    "--depth", type=click.IntRange(1, 10), default=5, show_default=True, help="The longest way, in links."
)
@face
@pass_session
def command(session: Session, source: str, target: str, depth: int, as_json: bool) -> None:
    """List the ways from one document to another.

    Along links in either direction, the shortest first, at most twenty; none visits a document twice. SOURCE
    and TARGET are ids, paths or files' names.
    """
    with session.engine() as engine:
        found = engine.graph.paths(source, target, max_depth=depth)
    out = Output()
    if as_json:
        out.document(wire_graph.paths(found))
        return
    if not found.paths:
        session.say.notice(
            f"No way of {depth} links or fewer leads from {found.source.title} to {found.target.title}."
        )
    for way in found.paths:
        out.line(Ink(f"{len(way) - 1}  ", "faint"), way[0].title, *_onwards([one.title for one in way[1:]]))
    if found.truncated:
        session.say.notice("There are more.")


def _onwards(titles: list[str]) -> list[Ink | str]:
    return [piece for title in titles for piece in (Ink(" — ", "structure"), title)]
