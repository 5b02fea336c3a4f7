"""Edits: what was done in a sentence, and the log of it."""

from __future__ import annotations

from collections.abc import Sequence

from ark_tui.domain.curation import Done, Edit, Exported, Imported
from ark_tui.domain.wording import counted
from ark_tui.faces.cli.layout import column
from ark_tui.faces.cli.output import Ink
from ark_tui.faces.cli.rendering import Renderer, View
from ark_tui.operations.page import Page

LISTED = 10  # lines that match nothing; `--json` has all


def told(view: View, results: Sequence[Done]) -> None:
    """What edits have done."""
    for one in results:
        view.out.line(one.what)


def edits(view: View, pages: Sequence[Page[Edit]]) -> None:
    """The log of edits."""
    if not pages[0].total:
        view.say.notice("There has been no edit yet.")
    for one in pages[0].items:
        about = f"{one.number:>5}  {one.at:%Y-%m-%d %H:%M}  {column(one.who, 11)}"
        state = "" if one.state == "done" else f"  ({one.state})"
        view.out.line(Ink(about, "faint"), one.what, Ink(state, "faint"))


def exported(view: View, results: Sequence[Exported]) -> None:
    """The lines, or where they are."""
    (one,) = results
    if one.written is None:
        view.out.block(one.content)
    else:
        view.say.notice(f"{counted(one.lines, 'line')} written to {one.written}.")


def imported(view: View, results: Sequence[Imported]) -> None:
    """What was taken up, and what matches nothing."""
    (taken,) = results
    for one in taken.unmatched[:LISTED]:
        view.say.warning(f"Line {one.line}: there is no {one.path} here to {one.what}.")
    more = len(taken.unmatched) - LISTED
    if more > 0:
        view.say.warning(f"And {more} more lines that match nothing.")
    lines = counted(taken.lines, "line")
    view.say.notice(f"{lines}: {taken.applied} taken up, {taken.unchanged} so already.")
    view.out.line(taken.done.what)


DONE = Renderer(told, remarks=lambda done: done.notices)
VERBS = (
    *("tag", "untag", "tier", "pin", "unpin", "link", "unlink", "supersede", "merge", "trash", "untrash"),
    *("note", "undo", "redo"),
)

RENDERERS = {
    **dict.fromkeys(VERBS, DONE),
    "edits": Renderer(edits),
    "export-curation": Renderer(exported),
    "import-curation": Renderer(imported, remarks=lambda taken: taken.done.notices),
}
