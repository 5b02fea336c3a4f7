"""`ark-tui tasks-delete`: tasks deleted."""

from __future__ import annotations

import click

from ark_tui.faces.cli import tasks
from ark_tui.faces.cli.session import Session, face, pass_session, scoped


@click.command("tasks-delete", epilog="Example: ark-tui tasks-delete 3")
@click.argument("ids", nargs=-1, required=True, type=click.IntRange(1), metavar="ID...")
@scoped
@face
@pass_session
def command(session: Session, ids: tuple[int, ...], as_json: bool) -> None:
    """Take tasks off the list. `tasks-reopen` brings them back."""
    tasks.change(
        session, ids, lambda engine, scope, number: engine.memory.tasks.delete(scope, number), as_json=as_json
    )
