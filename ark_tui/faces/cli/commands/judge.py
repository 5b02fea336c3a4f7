"""`ark-tui judge`: which documents answer a query, for measuring the ranking by."""

from __future__ import annotations

from pathlib import Path

import click

from ark_tui.domain.curation import GRADES, Judgment
from ark_tui.domain.errors import UsageError
from ark_tui.domain.wording import counted
from ark_tui.faces.cli.output import Ink, Output
from ark_tui.faces.cli.session import Session, face, pass_session
from ark_tui.operations.encoding import encoded

TAKEN_BACK = "0"
TYPED = {grade: sign for sign, grade in GRADES.items()}


@click.command("judge", epilog='Example: ark-tui judge "spectral gap" @1 +')
@click.argument("query", required=False, metavar="QUERY")
@click.argument("ref", required=False, metavar="REF")
@click.argument("grade", required=False, metavar="++|+|-|0")
@click.option(
    "--export",
    "folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write the judgments and the corpus as BEIR has them, and qrels.trec.",
)
@face
@pass_session
def command(
    session: Session,
    query: str | None,
    ref: str | None,
    grade: str | None,
    folder: Path | None,
    as_json: bool,
) -> None:
    """Judge what answers a query, or list the judgments.

    ++ is the very answer, + an answer, - no answer, 0 takes a judgment back. `ark-tui eval --mine` measures
    the ranking by them.
    """
    with session.engine() as engine:
        if query and ref and grade:
            done = engine.curation.judge(query, ref, _read(grade))
            if as_json:
                Output().document(encoded(done))
            else:
                Output().line(done.what)
            return
        if ref:
            raise UsageError(
                "A judgment wants a query, a document and a grade.", "See `ark-tui judge --help`."
            )
        if folder:
            written = engine.curation.export_judgments(folder.expanduser())
            session.say.notice(f"{counted(written, 'judgment')} written to {folder}.")
            return
        known = engine.curation.judgments(query or "")
    if as_json:
        Output().document({"judgments": encoded(known)})
    else:
        _show(session, known)


def _read(grade: str) -> int | None:
    if grade == TAKEN_BACK:
        return None
    if grade not in GRADES:
        raise UsageError(f"There is no grade {grade}.", f"It is {', '.join(GRADES)} or {TAKEN_BACK}.")
    return GRADES[grade]


def _show(session: Session, known: tuple[Judgment, ...]) -> None:
    from ark_tui.faces.cli.layout import fit, short

    if not known:
        session.say.notice('Nothing has been judged yet: ark-tui judge "some words" @1 +')
    for one in known:
        Output().line(
            f"{TYPED[one.grade]:<3}", f"{fit(one.query, 32)}  ",
            Ink(one.document.short_id, "strong"), f"  {short(one.document.title, 34)}",
        )  # fmt: skip
