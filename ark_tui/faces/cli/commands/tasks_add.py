"""`ark-tui tasks-add`: something to do."""

from __future__ import annotations

import click

from ark_tui.faces.cli import tasks
from ark_tui.faces.cli.session import Session, face, keyed, pass_session, scoped
from ark_tui.faces.cli.words import FreeText, joined, or_stdin


@click.command("tasks-add", cls=FreeText, epilog="Example: ark-tui tasks-add call Ann --due friday")
@click.argument("text", nargs=-1, callback=joined)
@click.option(
    "--due", default="", metavar="WHEN", help="Such as tomorrow, in 3 days, friday 17:00, 2026-02-03."
)
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Tag it; may be given several times.")
@keyed
@scoped
@face
@pass_session
def command(session: Session, text: str, due: str, tags: tuple[str, ...], as_json: bool) -> None:
    """Add a task to the end of the list.

    Its words are the task; `-` alone reads it from stdin. Days and times are in UTC.
    """
    with session.engine() as engine:
        scope = engine.memory.scope()
        task = engine.memory.tasks.add(scope, or_stdin(text), due=due, tags=tags)
        tasks.show([task], scope, engine.settings.clock.now().date(), as_json=as_json)
