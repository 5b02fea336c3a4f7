"""Edits and the log of them, judgments, saved searches, and the curation queue."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ark_tui.domain.curation import GRADES, Done, Edit, Exported, Imported, Item, Judgment, Queue, SavedSearch
from ark_tui.domain.searches import SavedDiff
from ark_tui.domain.wording import counted
from ark_tui.interfaces.cli.layout import column, fit, short, short_path
from ark_tui.interfaces.cli.output import WIDTH, Ink
from ark_tui.interfaces.cli.rendering import Lines, Renderer, View, each
from ark_tui.operations.page import Page

LISTED = 10  # lines that match nothing; `--json` has all
TYPED = {grade: sign for sign, grade in GRADES.items()}


def _told(_: View, one: Done) -> Lines:
    yield (one.what,)


def _edit(_: View, one: Edit) -> Lines:
    about = f"{one.number:>5}  {one.at:%Y-%m-%d %H:%M}  {column(one.who, 11)}"
    state = "" if one.state == "done" else f"  ({one.state})"
    yield Ink(about, "faint"), one.what, Ink(state, "faint")


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
        unreadable = one.what == "unreadable"
        why = "no export writes such a line" if unreadable else f"there is no {one.path} here to {one.what}"
        view.say.warning(f"Line {one.line} was skipped: {why}.")
    more = len(taken.unmatched) - LISTED
    if more > 0:
        view.say.warning(f"{more:,} more lines were skipped.")
    lines = counted(taken.lines, "line")
    view.say.notice(f"{lines}: {taken.applied} taken up, {taken.unchanged} so already.")
    view.out.line(taken.done.what)


def judgments(view: View, pages: Sequence[Page[Judgment]]) -> None:
    """A line each; or that they were written."""
    if folder := view.options["export"]:
        view.say.notice(f"{counted(pages[0].total, 'judgment')} written to {folder}.")
    else:
        each(_judgment, 'Nothing has been judged yet: ark-tui judge "some words" @1 +').show(view, pages)


def _judgment(_: View, one: Judgment) -> Lines:
    yield (
        f"{TYPED[one.grade]:<3}", f"{fit(one.query, 32)}  ",
        Ink(one.document.short_id, "strong"), f"  {short(one.document.title, 34)}",
    )  # fmt: skip


def _saved(_: View, one: SavedSearch) -> Lines:
    about = f"{one.mode:<9} {one.limit:>4}  "
    yield f"{fit('@' + one.name, 22)}  ", Ink(about, "faint"), short(one.query, WIDTH - 40)


def _diff(_: View, one: SavedDiff) -> Lines:
    """A saved search with what has become of it, then a line for each document that is not where it was."""
    if one.looked:
        since = f"since {one.looked:%Y-%m-%d %H:%M}: {one.counts or 'as it was'}"
        other = f" (another {', '.join(one.differing)})" if one.differing and one.moves else ""
    else:
        first = "the first look" if one.seen else "not looked at yet"
        since, other = one.problem or f"{counted(one.hits, 'hit')}; {first}", ""
    yield Ink(f"@{one.name}", "strong"), f"  {since}", Ink(other, "faint")
    for move in one.moves:
        ranks = " → ".join(str(rank) if rank else "–" for rank in (move.before, move.after))
        yield (
            f"  {move.kind:<6} {ranks:<9} ", fit(move.title or "a document that is gone", 34), "  ",
            Ink(short_path(move.path, WIDTH - 56), "faint"),
        )  # fmt: skip
    for off in one.off:
        yield (Ink(f"  Not counted: {off}", "faint"),)


def _to_look(results: tuple[SavedDiff, ...]) -> Iterator[str]:
    """How to compare from now on, where nobody has looked yet."""
    new = [one.name for one in results if not (one.looked or one.seen or one.problem)]
    if new:
        name = f" {new[0]}" if len(results) == 1 else ""
        yield f"What changes from now on is told after: ark-tui saved diff{name} --seen"


def queue(view: View, queues: Sequence[Queue]) -> None:
    """The first items, and how many there are of each kind."""
    (found,) = queues
    each(_queued).show(view, found.items)
    counts = ", ".join(f"{count} {kind}" for kind, count in found.counts.items() if count)
    later = f"; {found.later} put off" if found.later else ""
    view.say.notice(f"{counts or 'Nothing wants attention'}{later}.")


def _queued(_: View, item: Item) -> Lines:
    """What is asked, of which documents, and the keys that answer."""
    yield Ink(item.id, "strong"), f"  {item.kind}: {item.reason}"
    for number, one in enumerate(item.documents, 1):
        mark = f"{number} " if len(item.documents) > 1 else ""
        line = f"{one.short_id} {one.title} · {one.collection}/{one.path}"
        yield f"         {mark}", short(line, WIDTH - 11)
    keys = "  ".join(f"{choice.key} {choice.label}" for choice in item.choices)
    tags = f"  (perhaps {', '.join(item.suggestions)})" if item.suggestions else ""
    yield (Ink(f"         {keys}{short(tags, 40)}", "faint"),)


DONE = each(_told, remarks=lambda done: done.notices)
VERBS = (
    *("tag", "untag", "tier", "pin", "unpin", "link", "unlink", "supersede", "merge", "trash", "untrash"),
    *(
        "note",
        "undo",
        "redo",
        "judge",
        "queue decide",
        "saved add",
        "saved rename",
        "tags rename",
        "saved delete",
    ),
)

RENDERERS = {
    **dict.fromkeys(VERBS, DONE),
    "edits": each(_edit, "There has been no edit yet."),
    "judgments": Renderer(judgments),
    "queue list": Renderer(queue),
    "queue show": each(_queued),
    "saved list": each(_saved, "No search is saved yet: ark-tui saved add NAME some words"),
    "saved diff": each(_diff, "No search is saved yet: ark-tui saved add NAME some words", remarks=_to_look),
    "export-curation": Renderer(exported),
    "import-curation": Renderer(imported, remarks=lambda taken: taken.done.notices),
}
