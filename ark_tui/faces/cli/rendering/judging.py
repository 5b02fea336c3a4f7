"""Judgments as lines."""

from __future__ import annotations

from collections.abc import Sequence

from ark_tui.domain.curation import GRADES, Judgment
from ark_tui.domain.wording import counted
from ark_tui.faces.cli.layout import fit, short
from ark_tui.faces.cli.output import Ink
from ark_tui.faces.cli.rendering import Renderer, View, curation
from ark_tui.operations.page import Page

TYPED = {grade: sign for sign, grade in GRADES.items()}


def judgments(view: View, pages: Sequence[Page[Judgment]]) -> None:
    """A line each; or that they were written."""
    (known,) = pages
    if folder := view.options["export"]:
        view.say.notice(f"{counted(known.total, 'judgment')} written to {folder}.")
        return
    if not known.total:
        view.say.notice('Nothing has been judged yet: ark-tui judge "some words" @1 +')
    for one in known.items:
        view.out.line(
            f"{TYPED[one.grade]:<3}", f"{fit(one.query, 32)}  ",
            Ink(one.document.short_id, "strong"), f"  {short(one.document.title, 34)}",
        )  # fmt: skip


RENDERERS = {"judge": curation.RENDERERS["tag"], "judgments": Renderer(judgments)}
