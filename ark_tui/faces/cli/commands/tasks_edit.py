"""`ark-tui tasks-edit`: a task's text, day, tags and place."""

from __future__ import annotations

import click

from ark_tui.domain.errors import UsageError
from ark_tui.faces.cli import tasks
from ark_tui.faces.cli.session import Session, face, pass_session, scoped
from ark_tui.faces.cli.words import FreeText, or_stdin


@click.command("tasks-edit", cls=FreeText, epilog="Example: ark-tui tasks-edit 3 call Ann --due monday")
@click.argument("words", nargs=-1, metavar="ID [TEXT]")
@click.option("--due", metavar="WHEN", help="When it is due; none: never.")
@click.option("--tag", "add", multiple=True, metavar="TAG", help="Tag it.")
@click.option("--untag", "drop", multiple=True, metavar="TAG", help="Take a tag off it.")
@click.option("--before", type=click.IntRange(1), metavar="ID", help="Put it before this task.")
@scoped
@face
@pass_session
def command(
    session: Session,
    words: tuple[str, ...],
    due: str | None,
    add: tuple[str, ...],
    drop: tuple[str, ...],
    before: int | None,
    as_json: bool,
) -> None:
    """Change a task. The words after its number, if there are any, are its new text."""
    if not words or not words[0].isdecimal():
        raise UsageError("The number of a task is wanted.", "As in: ark-tui tasks-edit 3 --due monday")
    text = or_stdin(" ".join(words[1:])) if len(words) > 1 else None
    with session.engine() as engine:
        scope = engine.memory.scope()
        changed = engine.memory.tasks.edit(
            scope, int(words[0]), text=text, due=due, add=add, drop=drop, before=before
        )
        tasks.show([changed], scope, engine.settings.clock.now().date(), as_json=as_json)
