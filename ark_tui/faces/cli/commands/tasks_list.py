"""`ark-tui tasks-list`: what is to be done."""

from __future__ import annotations

import click

from ark_tui.faces.cli import tasks
from ark_tui.faces.cli.session import Session, face, pass_session, scoped


@click.command("tasks-list", epilog="Example: ark-tui tasks-list --due 'next week' --tag work")
@click.option("--all", "all_", is_flag=True, help="The done ones, too.")
@click.option("--tag", default="", metavar="TAG", help="Only those with this tag.")
@click.option("--due", default="", metavar="WHEN", help="Only those due by then.")
@scoped
@face
@pass_session
def command(session: Session, all_: bool, tag: str, due: str, as_json: bool) -> None:
    """List the open tasks, in their order."""
    with session.engine() as engine:
        scope = engine.memory.scope()
        found = engine.memory.tasks.list(scope, all=all_, tag=tag, due=due)
        tasks.show(found, scope, engine.settings.clock.now().date(), as_json=as_json)
    if not found and not as_json:
        session.say.notice("There is nothing to do: ark-tui tasks-add SOMETHING")
