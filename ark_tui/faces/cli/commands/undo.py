"""`ark-tui undo`: the last edit back."""

from __future__ import annotations

import click

from ark_tui.faces.cli import curating
from ark_tui.faces.cli.output import Ink, Output
from ark_tui.faces.cli.session import Session, face, pass_session
from ark_tui.faces.reports import wire_curation


@click.command("undo", epilog="Example: ark-tui undo")
@click.option("--list", "listed", is_flag=True, help="Undo nothing; list the last edits, the newest first.")
@face
@pass_session
def command(session: Session, listed: bool, as_json: bool) -> None:
    """Take the last edit back.

    Again and again, back to the first, whoever made them: edits are kept across restarts, and those of the
    workbench are among them. `ark-tui redo` does them again.
    """
    with session.engine() as engine:
        if not listed:
            curating.tell(session, engine.curation.undo(), as_json=as_json)
            return
        log = engine.curation.log()
    out = Output()
    if as_json:
        out.document(wire_curation.edits(log))
        return
    if not log:
        session.say.notice("There has been no edit yet.")
    for one in log:
        about = f"{one.number:>5}  {one.at:%Y-%m-%d %H:%M}  {one.who:<10} "
        out.line(
            Ink(about, "faint"), one.what, Ink("" if one.state == "done" else f"  ({one.state})", "faint")
        )
