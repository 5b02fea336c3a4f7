"""Overrides: a user's edits of documents, as rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import astuple
from datetime import UTC
from typing import NamedTuple, TypeAlias

from ark_tui.domain.curation import Change, Edit
from ark_tui.store.lease import Lease, Row, among

OverrideKey: TypeAlias = tuple[int, str, str]
"""A document's number, an aspect, and a key within the aspect."""


class Override(NamedTuple):
    """An override. `own`: the value without it."""

    document: int
    aspect: str
    key: str
    value: str
    own: str | None = None

    @property
    def place(self) -> OverrideKey:
        return self.document, self.aspect, self.key


def of(lease: Lease, documents: Iterable[int], aspects: Sequence[str] = ()) -> dict[OverrideKey, Override]:
    """The overrides of these documents, of some aspects or of all."""
    rows = lease.rows(
        f"SELECT * FROM ark.said WHERE document {among(documents)} "
        "AND (? OR aspect IN (SELECT unnest(?::VARCHAR[]))) ORDER BY ALL",
        not aspects,
        list(aspects),
    )
    return {word.place: word for word in (Override(*row) for row in rows)}


def all_of(lease: Lease, aspect: str) -> list[Override]:
    """All overrides of an aspect."""
    rows = lease.rows("SELECT * FROM ark.said WHERE aspect = ? ORDER BY ALL", aspect)
    return [Override(*row) for row in rows]


def keep(lease: Lease, words: Sequence[Override]) -> None:
    """Store overrides, replacing existing ones."""
    drop(lease, [word.place for word in words])
    lease.insert("said", words)


def drop(lease: Lease, places: Sequence[OverrideKey]) -> None:
    """Delete overrides."""
    if places:
        documents, aspects, keys = zip(*places, strict=True)
        lease.run(
            "DELETE FROM ark.said WHERE (document, aspect, key) IN "
            "(SELECT (unnest(?::BIGINT[]), unnest(?::VARCHAR[]), unnest(?::VARCHAR[])))",
            list(documents),
            list(aspects),
            list(keys),
        )


def marks(lease: Lease, documents: Sequence[int]) -> dict[int, set[str]]:
    """The pins (`pin`) and trash flags (`trash`) of documents."""
    found: dict[int, set[str]] = {}
    for document, aspect in lease.rows(
        "SELECT document, aspect FROM ark.said "
        f"WHERE aspect IN ('pin', 'trash') AND document {among(documents)}"
    ):
        found.setdefault(int(document), set()).add(str(aspect))
    return found


def pinned(lease: Lease) -> frozenset[str]:
    """The ids of all pinned documents."""
    rows = lease.rows(
        "SELECT d.id FROM ark.said s JOIN ark.documents d ON d.number = s.document "
        "WHERE s.aspect = 'pin' ORDER BY d.id"
    )
    return frozenset(str(row[0]) for row in rows)


def forget(lease: Lease, documents: Sequence[int]) -> None:
    """Delete the overrides of permanently deleted documents, and links that the user made to them."""
    if not documents:
        return
    lease.run(
        "DELETE FROM ark.said WHERE aspect = 'link' AND split_part(key, ' ', 2) IN "
        f"(SELECT id FROM ark.documents WHERE number {among(documents)})"
    )
    lease.run(f"DELETE FROM ark.said WHERE document {among(documents)}")
    lease.run(f"DELETE FROM ark.links WHERE origin = 'user' AND resolved {among(documents)}")


def add(lease: Lease, who: str, what: str, inverse: str, changes: Sequence[Change]) -> Edit:
    """Log an edit. Edits that were undone before can no longer be redone."""
    lease.run("UPDATE ark.edits SET state = 'dropped' WHERE state = 'undone'")
    number, now = lease.take("edit"), lease.now()
    lease.insert("edits", [(number, now.replace(tzinfo=None), who, what, inverse, "done")])
    lease.insert("strokes", [(number, i, *astuple(change)) for i, change in enumerate(changes)])
    return Edit(number, now, who, what, inverse)


def latest(lease: Lease, limit: int, offset: int = 0) -> list[Edit]:
    """The last edits, newest first."""
    newest = "SELECT * FROM ark.edits ORDER BY number DESC LIMIT ? OFFSET ?"
    return [_edit(row) for row in lease.rows(newest, limit, offset)]


def count(lease: Lease) -> int:
    """The number of edits."""
    return lease.count("SELECT count(*) FROM ark.edits")


def to_undo(lease: Lease) -> Edit | None:
    """The next edit to undo."""
    row = lease.row("SELECT * FROM ark.edits WHERE state = 'done' ORDER BY number DESC LIMIT 1")
    return _edit(row) if row else None


def to_redo(lease: Lease) -> Edit | None:
    """The next edit to redo."""
    row = lease.row("SELECT * FROM ark.edits WHERE state = 'undone' ORDER BY number LIMIT 1")
    return _edit(row) if row else None


def mark(lease: Lease, number: int, state: str) -> None:
    """Set the state of an edit."""
    lease.run("UPDATE ark.edits SET state = ? WHERE number = ?", state, number)


def changes(lease: Lease, number: int) -> list[Change]:
    """The changes of an edit, in order."""
    rows = lease.rows("SELECT * FROM ark.strokes WHERE edit = ? ORDER BY place", number)
    return [Change(*row[2:]) for row in rows]


def _edit(row: Row) -> Edit:
    number, moment, who, what, inverse, state = row
    return Edit(int(number), moment.replace(tzinfo=UTC), who, what, inverse, state)
