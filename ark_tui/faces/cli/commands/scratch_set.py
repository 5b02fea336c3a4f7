"""`ark-tui scratch-set`: a value under a key of the scratchpad."""

from __future__ import annotations

import click

from ark_tui.domain.errors import UsageError
from ark_tui.faces.cli.output import Ink, Output
from ark_tui.faces.cli.session import Session, face, keyed, pass_session, scoped
from ark_tui.faces.cli.words import FreeText, or_stdin
from ark_tui.faces.reports import wire_memory


@click.command("scratch-set", cls=FreeText, epilog="Example: ark-tui scratch-set plan ask Ann first")
@click.argument("words", nargs=-1, metavar="KEY VALUE")
@keyed
@scoped
@face
@pass_session
def command(session: Session, words: tuple[str, ...], as_json: bool) -> None:
    """Put a value under a key of the scratchpad.

    All words after the key are the value, dashes too; `-` alone reads it from stdin. What was there before
    is kept: see `scratch-get KEY --history`.
    """
    if len(words) < 2:
        raise UsageError("A key and a value are wanted.", "As in: ark-tui scratch-set plan ask Ann first")
    value = or_stdin(" ".join(words[1:]))
    with session.engine() as engine:
        kept = engine.memory.scratch.set(engine.memory.scope(), words[0], value)
    out = Output()
    if as_json:
        out.document(wire_memory.scratch(kept))
    else:
        out.line(Ink(kept.key, "strong"), Ink(f"  version {kept.version}", "faint"))
