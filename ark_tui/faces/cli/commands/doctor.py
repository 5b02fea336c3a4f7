"""`ark-tui doctor`: what is wrong, and its repair."""

from __future__ import annotations

import click

from ark_tui.faces.cli.diagnostics import ExitCode
from ark_tui.faces.cli.output import Ink, Output
from ark_tui.faces.cli.session import Session, face, pass_session
from ark_tui.faces.reports import wire

MARKS = {True: Ink("ok   ", "good"), False: Ink("wrong", "bad"), None: Ink("note ", "faint")}
REPAIRED = Ink("mended", "good")


@click.command("doctor", epilog="Example: ark-tui doctor --repair")
@click.option("--repair", is_flag=True, help="Rebuild indexes that are missing or broken, from the store.")
@face
@click.pass_context
@pass_session
def command(session: Session, ctx: click.Context, repair: bool, as_json: bool) -> None:
    """Find what is wrong, and repair it.

    Looks at the store, the indexes, the folders, the model and the configuration. Exits with 1 when
    something is wrong, with 3 when it is the store.
    """
    with session.engine() as engine:
        checks = engine.doctor(repair)
    out = Output()
    if as_json:
        out.document(wire.doctor(checks))
    else:
        for check in checks:
            out.line(REPAIRED if check.repaired else MARKS[check.ok], f"  {check.name}: {check.detail}")
    wrong = [check.name for check in checks if check.ok is False]
    if wrong:
        ctx.exit(ExitCode.STORE if "store" in wrong else ExitCode.FAILED)
