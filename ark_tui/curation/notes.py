"""Notes: texts without a file, which a person writes, renames and edits here.

Each edit stores the whole note, as the JSON of its given title and its text.
"""

from __future__ import annotations

import getpass
import json
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from ark_tui.domain.curation import NOTHING, Change, Done, Edit
from ark_tui.domain.documents import Draft, content_hash
from ark_tui.domain.errors import Hint, UsageError
from ark_tui.store import Lease, documents, files, overlay, overrides
from ark_tui.store.documents import Arrival
from ark_tui.store.files import FileRecord
from ark_tui.store.lease import among
from ark_tui.store.overrides import OverrideKey

Cut: TypeAlias = Callable[[str, str, str], Draft]
"""Parses a text from its given title, body and path."""

FOLDER = "text/"
"""The prefix of the paths of notes; the rest is a hash of the content."""


def rewrite(lease: Lease, wanted: Mapping[int, str], cut: Cut) -> None:
    """Write these titles and texts into notes."""
    arrivals = []
    for number, value in wanted.items():
        note = json.loads(value)
        folder, path = _place(lease, number)
        draft = cut(note["title"], note["body"], path)
        arrivals.append(Arrival(_record(folder, path, note["title"], note["body"]), (draft,)))
    if arrivals:
        documents.put(lease, arrivals)


def add(lease: Lease, title: str, body: str, collection: str, cut: Cut) -> tuple[int, bool]:
    """Add a note; returns its number, and whether it is new. The same text is the same note."""
    if not body.strip():
        raise UsageError("There is no text.", Hint.run("doc note", "a thought", say="Give some: {}"))
    path = free(lease, collection, _digest(title, body))
    there = "SELECT count(*) FROM ark.documents WHERE folder = ? AND path = ? AND gone IS NULL"
    new = not lease.value(there, collection, path)
    if new:
        files.open_collection(lease, collection)
        documents.put(lease, [Arrival(_record(collection, path, title, body), (cut(title, body, path),))])
    return documents.at(lease, collection, path), new


def free(lease: Lease, collection: str, digest: str) -> str:
    """A path for a text of this digest that no edited note occupies."""
    taken = {
        str(path): str(hash_)
        for path, hash_ in lease.rows(
            "SELECT path, hash FROM ark.documents WHERE folder = ? AND starts_with(path, ?)",
            collection,
            f"{FOLDER}{digest[:12]}",
        )
    }
    paths = (f"{FOLDER}{digest[:length]}" for length in range(12, len(digest) + 1))
    return next(path for path in paths if taken.get(path, digest) == digest)


def as_it_is(lease: Lease, number: int, cut: Cut) -> str:
    """A note as JSON. `title` is empty if it follows from the text."""
    folder, path = _place(lease, number)
    found = documents.documents(lease, [number])[number]
    if not path.startswith(FOLDER) or found.layer or folder in files.roots(lease):
        raise UsageError(
            f"{found.short_id} is not a note of the store: it comes from {found.collection}/{found.path}.",
            "Change it there, and index it again; ark-tui never writes to your files.",
        )
    body = documents.body(lease, number)
    return as_json("" if cut("", body, path).title == found.title else found.title, body)


def as_json(title: str, body: str) -> str:
    return json.dumps({"title": title, "body": body}, ensure_ascii=False)


def changed(note: str, title: str | None, body: str | None) -> str:
    """The JSON of a note with another title, another text, or both."""
    old = json.loads(note)
    if body is not None and not body.strip():
        raise UsageError(
            "The note has no text.", Hint.run("doc trash", "#id", say="Move it to the trash: {}")
        )
    return as_json(old["title"] if title is None else title.strip(), old["body"] if body is None else body)


def _place(lease: Lease, number: int) -> tuple[str, str]:
    row = lease.row("SELECT folder, path FROM ark.documents WHERE number = ?", number)
    assert row
    return str(row[0]), str(row[1])


def _record(folder: str, path: str, title: str, body: str) -> FileRecord:
    return FileRecord(folder, path, 0, 0, 0, time.time_ns(), _digest(title, body), "indexed")


def _digest(title: str, body: str) -> str:
    return content_hash(f"{title}\n{body}".encode("utf-8", "surrogatepass"))


def carry_out(lease: Lease, what: str, inverse: str, changes: Sequence[Change], cut: Cut) -> Edit:
    """Apply an edit and log it."""
    _apply(lease, changes, cut)
    return overrides.add(lease, somebody(), what, inverse, changes)


def undo(lease: Lease, cut: Cut) -> Done:
    """Undo the last edit. One whose documents are permanently deleted is skipped, with a notice."""
    edit = overrides.to_undo(lease)
    if edit is None:
        return Done("nothing to undo")
    changes = [change.reversed() for change in reversed(overrides.changes(lease, edit.number))]
    return _again(lease, edit, changes, "undone", edit.inverse, cut)


def redo(lease: Lease, cut: Cut) -> Done:
    """Redo the last undone edit. A new edit clears what can be redone."""
    edit = overrides.to_redo(lease)
    if edit is None:
        return Done("nothing to redo")
    return _again(lease, edit, overrides.changes(lease, edit.number), "done", edit.what, cut)


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
        overrides.mark(lease, edit.number, "dropped")
        which = "its collection is" if not lost else "its document is" if lost == 1 else "its documents are"
        return Done(
            f"cannot be {'undone' if state == 'undone' else 'redone'}, {which} gone: {edit.what}",
            edit=edit.number,
        )
    _apply(lease, left, cut)
    overrides.mark(lease, edit.number, state)
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
    rewrite(lease, {s.document: s.after for s in changes if s.aspect == "note" and s.after}, cut)
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
