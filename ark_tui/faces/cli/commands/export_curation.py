"""`ark-tui export-curation`: what was said of documents, as lines for git."""

from __future__ import annotations

from pathlib import Path

import click

from ark_tui.domain.wording import counted
from ark_tui.faces.cli.output import Output
from ark_tui.faces.cli.session import Session, face, pass_session

STDOUT = "-"


@click.command("export-curation", epilog="Example: ark-tui export-curation ~/notes/curation.jsonl")
@click.argument("file", metavar="FILE")
@face
@pass_session
def command(session: Session, file: str, as_json: bool) -> None:
    """Write what you said as lines for git.

    Tags, tiers, pins, links, judgments, notes, the trash and saved searches: one JSON object a line, sorted,
    keyed by path and content hash. FILE is written whole; `-` is stdout.
    """
    with session.engine() as engine:
        lines = engine.curation.export()
    text = "".join(f"{line}\n" for line in lines)
    if file == STDOUT:
        Output().block(text)
        return
    path = Path(file).expanduser()
    beside = path.with_name(f"{path.name}.new")
    beside.write_text(text, "utf-8", errors="backslashreplace", newline="\n")
    beside.replace(path)
    if as_json:
        Output().document({"written": str(path), "lines": len(lines)})
    else:
        session.say.notice(f"{counted(len(lines), 'line')} written to {path}.")
