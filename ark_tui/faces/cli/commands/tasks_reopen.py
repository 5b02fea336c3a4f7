"""`ark-tui tasks-reopen`: tasks reopened."""

from __future__ import annotations

import click

from ark_tui.faces.cli import tasks
from ark_tui.faces.cli.session import Session, face, pass_session, scoped


@click.command("tasks-reopen", epilog="Example: ark-tui tasks-reopen 3")
@click.argument("ids", nargs=-1, required=True, type=click.IntRange(1), metavar="ID...")
@scoped
@face
@pass_session
def command(session: Session, ids: tuple[int, ...], as_json: bool) -> None:
    """Take up tasks again that were done or deleted."""
    tasks.change(
        session, ids, lambda engine, scope, number: engine.memory.tasks.reopen(scope, number), as_json=as_json
    )
