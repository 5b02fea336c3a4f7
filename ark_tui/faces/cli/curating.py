"""What the commands of curation share: telling what was done, and listing documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ark_tui.faces.cli.output import WIDTH, Ink, Output
from ark_tui.faces.reports import wire_curation

if TYPE_CHECKING:
    from ark_tui.domain.curation import Done
    from ark_tui.domain.documents import Document
    from ark_tui.faces.cli.session import Session


def tell(session: Session, done: Done, *, as_json: bool) -> None:
    """What an edit has done: a sentence on stdout, or all of it as JSON."""
    for notice in done.notices:
        session.say.notice(notice)
    if as_json:
        Output().document(wire_curation.done(done))
    else:
        Output().line(done.what)


def show(session: Session, found: Sequence[Document], nothing: str, *, as_json: bool) -> None:
    """A list of documents; `nothing` is said of an empty one."""
    out = Output()
    if as_json:
        out.document({"documents": wire_curation.documents(found)})
        return
    from ark_tui.faces.cli.layout import fit, short_path

    if not found:
        session.say.notice(nothing)
    for one in found:
        place = short_path(f"{one.collection}/{one.path}", WIDTH - 43)
        out.line(Ink(one.short_id, "strong"), f"  {fit(one.title, 32)}  ", Ink(place, "faint"))
