"""The log of edits: who has changed what and when, and how it is taken back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC

from ark_tui.domain.curation import Change, Edit
from ark_tui.store.lease import Lease, Row

STROKE_COLUMNS = {
    "edit": "BIGINT", "place": "INTEGER", "document": "BIGINT", "aspect": "VARCHAR", "key": "VARCHAR",
    "before": "VARCHAR", "after": "VARCHAR",
}  # fmt: skip
KEPT = "number, moment, who, what, inverse, state"


def add(lease: Lease, who: str, what: str, inverse: str, changes: Sequence[Change]) -> Edit:
    """Log an edit. What was undone before it can no longer be redone."""
    lease.run("UPDATE ark.edits SET state = 'dropped' WHERE state = 'undone'")
    number, now = lease.take("edit"), lease.now()
    lease.run(
        f"INSERT INTO ark.edits ({KEPT}) VALUES (?, ?, ?, ?, ?, 'done')",
        number, now.replace(tzinfo=None), who, what, inverse,
    )  # fmt: skip
    lease.insert(
        "strokes",
        STROKE_COLUMNS,
        [(number, i, s.document, s.aspect, s.key, s.before, s.after) for i, s in enumerate(changes)],
    )
    return Edit(number, now, who, what, inverse)


def latest(lease: Lease, limit: int, offset: int = 0) -> list[Edit]:
    """The last edits, the newest first."""
    newest = f"SELECT {KEPT} FROM ark.edits ORDER BY number DESC LIMIT ? OFFSET ?"
    return [_edit(row) for row in lease.rows(newest, limit, offset)]


def count(lease: Lease) -> int:
    """How many edits there have been."""
    return lease.count("SELECT count(*) FROM ark.edits")


def to_undo(lease: Lease) -> Edit | None:
    """The edit that an undo takes back."""
    row = lease.row(f"SELECT {KEPT} FROM ark.edits WHERE state = 'done' ORDER BY number DESC LIMIT 1")
    return _edit(row) if row else None


def to_redo(lease: Lease) -> Edit | None:
    """The edit that a redo does again."""
    row = lease.row(f"SELECT {KEPT} FROM ark.edits WHERE state = 'undone' ORDER BY number LIMIT 1")
    return _edit(row) if row else None


def mark(lease: Lease, number: int, state: str) -> None:
    """Note what has become of an edit."""
    lease.run("UPDATE ark.edits SET state = ? WHERE number = ?", state, number)


def changes(lease: Lease, number: int) -> list[Change]:
    """What an edit changed, in order."""
    return [
        Change(*row)
        for row in lease.rows(
            "SELECT document, aspect, key, before, after FROM ark.strokes WHERE edit = ? ORDER BY place",
            number,
        )
    ]


def _edit(row: Row) -> Edit:
    number, moment, who, what, inverse, state = row
    return Edit(int(number), moment.replace(tzinfo=UTC), who, what, inverse, state)
