"""`ark-tui purge`: the trash and what is past its retention, for good."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ark_tui.domain.wording import counted
from ark_tui.faces.cli.output import WIDTH, Ink, Output
from ark_tui.faces.cli.session import Session, face, pass_session, scoped
from ark_tui.faces.reports import wire_memory
from ark_tui.operations.encoding import encoded

if TYPE_CHECKING:
    from ark_tui.domain.curation import Purged


@click.command("purge", epilog="Example: ark-tui purge --agent ALL --session ALL --yes")
@click.option("--yes", is_flag=True, help="Do it; without, only what would be deleted is said.")
@click.option("--dry-run", is_flag=True, help="Only say what would be deleted, also with --yes.")
@click.option("--retired", is_flag=True, help="Retired memories, too.")
@scoped
@face
@pass_session
def command(session: Session, yes: bool, dry_run: bool, retired: bool, as_json: bool) -> None:
    """Delete the trash and what is past its retention.

    For good: text, vectors, words, and rows of the log of searches. Past their retention are messages after a
    day and episodes after a month, as the settings say; they have left searches before. Keys of the
    scratchpad and tasks that were deleted go, too. Files on disk stay, and are not taken up again before they
    change. What was changed or removed before leaves the files of the home as well. Backups are named.
    """
    with session.engine() as engine:
        scope, retention = engine.memory.scope(), engine.memory.retention
        wanted = yes and not dry_run
        trash = engine.curation.purge(dry_run=not wanted)
        found = retention.purge(scope, retired=retired) if wanted else retention.due(scope, retired=retired)
    out = Output()
    if as_json:
        out.document({**wire_memory.purge(found), "trash": encoded(trash)})
        return
    from ark_tui.faces.cli.layout import short

    for document in (*(one.document for one in found.items), *trash.documents):
        out.line(Ink(document.short_id, "strong"), "  ", short(document.title, WIDTH - 10))
    _say_trash(session, trash)
    what = f"{found.messages:,} messages, {len(found.items):,} memories, {found.notes:,} deleted notes"
    if not (found.messages or found.items or found.notes):
        session.say.notice(f"Nothing of {scope.name} is past its retention.")
    elif found.done:
        session.say.notice(f"Deleted {what}, {found.vectors:,} vectors.")
    else:
        session.say.notice(f"Would delete {what} ({found.bytes:,} bytes of text). Say --yes to do it.")


def _say_trash(session: Session, trash: Purged) -> None:
    if trash.earlier:
        were, are = ("was", "it is") if trash.earlier == 1 else ("were", "they are")
        what = counted(trash.earlier, "text")
        session.say.notice(f"{what} that had been deleted earlier {were} still in the files; {are} gone now.")
    if not trash.documents:
        session.say.notice("The trash is empty.")
    else:
        _say_documents(session, trash)
    if trash.remains:
        session.say.notice(f"Backups may still hold deleted texts: {', '.join(trash.remains)}")


def _say_documents(session: Session, trash: Purged) -> None:
    what = f"{counted(len(trash.documents), 'document')} of the trash ({trash.bytes:,} bytes of text)"
    if trash.done:
        session.say.notice(f"Deleted {what}, {trash.vectors:,} vectors, {trash.answers:,} rows of searches.")
    else:
        session.say.notice(f"Would delete {what}. Say --yes to do it.")
