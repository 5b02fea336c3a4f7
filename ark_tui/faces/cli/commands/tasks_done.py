"""`ark-tui tasks-done`: tasks done."""

from __future__ import annotations

import click

from ark_tui.faces.cli import tasks
from ark_tui.faces.cli.session import Session, face, pass_session, scoped


@click.command("tasks-done", epilog="Example: ark-tui tasks-done 3")
@click.argument("ids", nargs=-1, required=True, type=click.IntRange(1), metavar="ID...")
@scoped
@face
@pass_session
def command(session: Session, ids: tuple[int, ...], as_json: bool) -> None:
    """Tick tasks off."""
    tasks.change(
        session, ids, lambda engine, scope, number: engine.memory.tasks.done(scope, number), as_json=as_json
    )
