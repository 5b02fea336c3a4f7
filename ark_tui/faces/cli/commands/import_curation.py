"""`ark-tui import-curation`: what was said elsewhere, said here."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from ark_tui.domain.errors import UsageError
from ark_tui.domain.wording import counted
from ark_tui.faces.cli import curating
from ark_tui.faces.cli.output import Output
from ark_tui.faces.cli.session import Session, face, pass_session
from ark_tui.faces.reports import wire_curation

STDIN = "-"
LISTED = 10  # lines that match nothing; `--json` has all


@click.command("import-curation", epilog="Example: ark-tui import-curation ~/notes/curation.jsonl")
@click.argument("file", metavar="FILE")
@face
@pass_session
def command(session: Session, file: str, as_json: bool) -> None:
    """Take up what an export says, as one edit.

    Documents are found by collection and path, else by their content, else by their path alone. What matches
    none is reported. The same file again changes nothing; `ark-tui undo` takes it back.
    """
    try:
        data = sys.stdin.buffer.read() if file == STDIN else Path(file).expanduser().read_bytes()
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"{file} is not UTF-8.", "It is written by `ark-tui export-curation`.") from error
    with session.engine() as engine:
        taken = engine.curation.take_over(text)
    if as_json:
        Output().document(wire_curation.imported(taken))
        return
    for one in taken.unmatched[:LISTED]:
        session.say.warning(f"Line {one.line}: there is no {one.path} here to {one.what}.")
    more = len(taken.unmatched) - LISTED
    if more > 0:
        session.say.warning(f"And {more} more lines that match nothing.")
    session.say.notice(
        f"{counted(taken.lines, 'line')}: {taken.applied} taken up, {taken.unchanged} so already."
    )
    curating.tell(session, taken.done, as_json=False)
