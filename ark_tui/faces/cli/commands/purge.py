"""`ark-tui purge`: what is past its retention, for good."""

from __future__ import annotations

import click

from ark_tui.faces.cli.output import WIDTH, Ink, Output
from ark_tui.faces.cli.session import Session, face, pass_session, scoped
from ark_tui.faces.reports import wire_memory


@click.command("purge", epilog="Example: ark-tui purge --agent ALL --session ALL --yes")
@click.option("--yes", is_flag=True, help="Do it; without, only what would be deleted is said.")
@click.option("--dry-run", is_flag=True, help="Only say what would be deleted, also with --yes.")
@click.option("--retired", is_flag=True, help="Retired memories, too.")
@scoped
@face
@pass_session
def command(session: Session, yes: bool, dry_run: bool, retired: bool, as_json: bool) -> None:
    """Delete what is past its retention, for good.

    That is messages after a day and episodes after a month, as the settings say. They have left searches
    before; history still lists the messages. A backup made before has them.
    """
    with session.engine() as engine:
        scope, retention = engine.memory.scope(), engine.memory.retention
        wanted = yes and not dry_run
        found = retention.purge(scope, retired=retired) if wanted else retention.due(scope, retired=retired)
    out = Output()
    if as_json:
        out.document(wire_memory.purge(found))
        return
    from ark_tui.faces.cli.layout import short

    for one in found.items:
        out.line(Ink(one.document.short_id, "strong"), "  ", short(one.document.title, WIDTH - 10))
    what = f"{found.messages:,} messages, {len(found.items):,} memories"
    if not found.messages and not found.items:
        session.say.notice(f"Nothing of {scope.name} is past its retention.")
    elif found.done:
        session.say.notice(f"Deleted {what}, {found.vectors:,} vectors.")
    else:
        session.say.notice(f"Would delete {what} ({found.bytes:,} bytes of text). Say --yes to do it.")
