"""`ark-tui rerun`: a search of the log once more, and what has changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ark_tui.faces.cli.output import WIDTH, Ink, Output
from ark_tui.faces.cli.session import Session, face, pass_session
from ark_tui.faces.reports import wire

if TYPE_CHECKING:
    from ark_tui.domain.searches import Move, Rerun

MARKS = {"came": Ink("came  ", "good"), "went": Ink("went  ", "bad"), "moved": Ink("moved ", "strong")}


@click.command("rerun", epilog="Example: ark-tui rerun 3fa9c1")
@click.argument("search_id", metavar="ID")
@face
@pass_session
def command(session: Session, search_id: str, as_json: bool) -> None:
    """Run a search again, and say what moved, came and went.

    ID is that of a search in `ark-tui searches`; its start will do. It runs with the same words and
    filters, by today's corpus, model and profile.
    """
    with session.engine() as engine:
        found = engine.rerun(search_id)
    out = Output()
    if as_json:
        out.document(wire.rerun(found))
        return
    from ark_tui.faces.cli.layout import fit, short_path

    session.say.notice(_summary(found))
    for move in found.moves:
        out.line(
            MARKS.get(move.kind, Ink("      ")), f"{_ranks(move):<10}", fit(move.title, 34), "  ",
            Ink(short_path(move.path, WIDTH - 52), "faint"),
        )  # fmt: skip


def _summary(found: Rerun) -> str:
    before = found.before
    what = "the same documents in the same order" if found.same else _counts(found)
    other = f"; since then another {', '.join(found.differing)}" if found.differing else ""
    return f"“{before.query}” of {before.at:%Y-%m-%d %H:%M}: {what}{other}."


def _counts(found: Rerun) -> str:
    kinds = [move.kind for move in found.moves]
    return ", ".join(f"{kinds.count(kind)} {kind}" for kind in MARKS if kind in kinds)


def _ranks(move: Move) -> str:
    before, after = (str(rank) if rank else "–" for rank in (move.before, move.after))
    return before if move.kind == "stayed" else f"{before} → {after}"
