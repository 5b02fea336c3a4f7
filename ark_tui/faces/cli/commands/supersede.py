"""`ark-tui supersede`: a document in the place of others."""

from __future__ import annotations

import click

from ark_tui.faces.cli import curating
from ark_tui.faces.cli.session import Session, face, pass_session


@click.command("supersede", epilog="Example: ark-tui supersede plan-2024.md plan-2025.md --by plan-2026.md")
@click.argument("refs", nargs=-1, required=True, metavar="REF...")
@click.option("--by", "successor", required=True, metavar="REF", help="The document that takes their place.")
@face
@pass_session
def command(session: Session, refs: tuple[str, ...], successor: str, as_json: bool) -> None:
    """Say that another document supersedes some.

    Searches hide them as long as that one is there; `search --superseded` shows them.
    """
    with session.engine() as engine:
        done = engine.curation.supersede(refs, successor)
    curating.tell(session, done, as_json=as_json)
