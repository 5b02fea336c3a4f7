"""The log of edits: apply, undo and redo, one step each, for all agents and processes of a home."""

from __future__ import annotations

import getpass
from collections.abc import Sequence

from ark_tui.curation import notes
from ark_tui.curation.notes import Cut
from ark_tui.domain.curation import NOTHING, Change, Done, Edit
from ark_tui.store import Lease, documents, edits, files, overlay
from ark_tui.store.lease import among
from ark_tui.store.overrides import OverrideKey


def carry_out(lease: Lease, what: str, inverse: str, changes: Sequence[Change], cut: Cut) -> Edit:
    """Apply an edit and log it."""
    _apply(lease, changes, cut)
    return edits.add(lease, somebody(), what, inverse, changes)


def undo(lease: Lease, cut: Cut) -> Done:
    """Undo the last edit. One whose documents are permanently deleted is skipped, with a notice."""
    edit = edits.to_undo(lease)
    if edit is None:
        return Done("nothing to undo")
    changes = [change.reversed() for change in reversed(edits.changes(lease, edit.number))]
    return _again(lease, edit, changes, "undone", edit.inverse, cut)


def redo(lease: Lease, cut: Cut) -> Done:
    """Redo the last undone edit. A new edit clears what can be redone."""
    edit = edits.to_redo(lease)
    if edit is None:
        return Done("nothing to redo")
    return _again(lease, edit, edits.changes(lease, edit.number), "done", edit.what, cut)


def somebody() -> str:
    """The name of the user of this process."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # the user id has no name
        return "somebody"


def _again(lease: Lease, edit: Edit, changes: list[Change], state: str, what: str, cut: Cut) -> Done:
    there = _there(lease, changes)
    left = [change for change in changes if change.document in there and _possible(lease, change)]
    lost = len({change.document for change in changes} - there)
    if not left:
        edits.mark(lease, edit.number, "dropped")
        which = "its collection is" if not lost else "its document is" if lost == 1 else "its documents are"
        return Done(
            f"cannot be {'undone' if state == 'undone' else 'redone'}, {which} gone: {edit.what}",
            edit=edit.number,
        )
    _apply(lease, left, cut)
    edits.mark(lease, edit.number, state)
    found = documents.documents(lease, sorted(there - {NOTHING}))
    notice = f"{lost} of its documents {'is' if lost == 1 else 'are'} gone for good." if lost else ""
    return Done(what, tuple(found.values()), edit.number, (notice,) if notice else ())


def _apply(lease: Lease, changes: Sequence[Change], cut: Cut) -> None:
    wanted: dict[OverrideKey, str | None] = {
        (s.document, s.aspect, s.key): s.after for s in changes if s.aspect not in {"note", "collection"}
    }
    for one in changes:
        if one.aspect == "collection" and one.before and one.after:
            files.rename(lease, one.before, one.after)
    notes.rewrite(lease, {s.document: s.after for s in changes if s.aspect == "note" and s.after}, cut)
    overlay.apply(lease, wanted)


def _possible(lease: Lease, change: Change) -> bool:
    """Whether a renamed collection still exists and its former name is free."""
    if change.aspect != "collection":
        return True
    names = {one.name for one in files.collections(lease)}
    return change.before in names and change.after not in names


def _there(lease: Lease, changes: Sequence[Change]) -> set[int]:
    numbers = {change.document for change in changes}
    there = lease.numbers(f"SELECT number FROM ark.documents WHERE number {among(numbers)}")
    return ({NOTHING} & numbers) | {*there}
