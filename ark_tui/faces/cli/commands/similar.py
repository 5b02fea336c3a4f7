"""`ark-tui similar`: what is like a document that is already there."""

from __future__ import annotations

import click

from ark_tui.domain.query import Filters
from ark_tui.faces.cli.output import Output
from ark_tui.faces.cli.session import Session, face, pass_session
from ark_tui.faces.reports import wire


@click.command("similar", epilog="Example: ark-tui similar theory/gap.md --in notes")
@click.argument("ref")
@click.option(
    "-n", "--limit", type=click.IntRange(1, 1000), default=10, show_default=True, help="How many documents."
)
@click.option("--in", "collections", multiple=True, metavar="NAME", help="Only in this collection.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Only with this tag.")
@click.option("--plain", is_flag=True, help="No colour and no bars.")
@face
@pass_session
def command(
    session: Session,
    ref: str,
    limit: int,
    collections: tuple[str, ...],
    tags: tuple[str, ...],
    plain: bool,
    as_json: bool,
) -> None:
    """Find documents like the one that REF names.

    REF is an id (short ones such as #3fa9c1 will do), a chunk's id (#3fa9c1:2) or a path. Compared are the
    vectors that are stored: nothing is asked of a model.
    """
    with session.engine() as engine:
        result = engine.similar(ref, limit, Filters(collections=collections, tags=tags))
        signals = engine.signals()
    if as_json:
        Output().document(wire.search(result))
        return
    from ark_tui.faces.cli import hits

    hits.narrate(session.say, result)
    hits.Listing(Output(plain=plain), signals, explain=False).show(result)
