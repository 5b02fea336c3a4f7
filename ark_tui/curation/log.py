"""Edits are carried out, taken back and done again: one step each, whoever made it and in which process."""

from __future__ import annotations

import getpass
from collections.abc import Sequence

from ark_tui.curation import notes
from ark_tui.curation.notes import Cut
from ark_tui.domain.curation import NOTHING, Done, Edit, Stroke
from ark_tui.store import Lease, documents, edits, overlay
from ark_tui.store.lease import among
from ark_tui.store.said import Place


def carry_out(lease: Lease, what: str, inverse: str, strokes: Sequence[Stroke], cut: Cut) -> Edit:
    """Make an edit, and log it."""
    _apply(lease, strokes, cut)
    return edits.add(lease, somebody(), what, inverse, strokes)


def undo(lease: Lease, cut: Cut) -> Done:
    """Take the last edit back. One whose documents are gone for good is given up, and that is said."""
    edit = edits.to_undo(lease)
    if edit is None:
        return Done("nothing to undo")
    strokes = [stroke.reversed() for stroke in reversed(edits.strokes(lease, edit.number))]
    return _again(lease, edit, strokes, "undone", edit.inverse, cut)


def redo(lease: Lease, cut: Cut) -> Done:
    """Do again what was undone last. There is nothing to redo after another edit."""
    edit = edits.to_redo(lease)
    if edit is None:
        return Done("nothing to redo")
    return _again(lease, edit, edits.strokes(lease, edit.number), "done", edit.what, cut)


def somebody() -> str:
    """Who is at the keyboard, as far as the machine knows."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # a user id without a name
        return "somebody"


def _again(lease: Lease, edit: Edit, strokes: list[Stroke], state: str, what: str, cut: Cut) -> Done:
    there = _there(lease, strokes)
    left = [stroke for stroke in strokes if stroke.document in there]
    lost = len({stroke.document for stroke in strokes} - there)
    if not left:
        edits.mark(lease, edit.number, "dropped")
        which = "its document is" if lost == 1 else "its documents are"
        return Done(
            f"cannot be {'undone' if state == 'undone' else 'redone'}, {which} gone: {edit.what}",
            edit=edit.number,
        )
    _apply(lease, left, cut)
    edits.mark(lease, edit.number, state)
    found = documents.documents(lease, sorted(there - {NOTHING}))
    notice = f"{lost} of its documents {'is' if lost == 1 else 'are'} gone for good." if lost else ""
    return Done(what, tuple(found.values()), edit.number, (notice,) if notice else ())


def _apply(lease: Lease, strokes: Sequence[Stroke], cut: Cut) -> None:
    wanted: dict[Place, str | None] = {
        (s.document, s.aspect, s.key): s.after for s in strokes if s.aspect != "note"
    }
    notes.rewrite(lease, {s.document: s.after for s in strokes if s.aspect == "note" and s.after}, cut)
    overlay.apply(lease, wanted)


def _there(lease: Lease, strokes: Sequence[Stroke]) -> set[int]:
    numbers = {stroke.document for stroke in strokes}
    there = lease.numbers(f"SELECT number FROM ark.documents WHERE number {among(numbers)}")
    return ({NOTHING} & numbers) | {*there}
