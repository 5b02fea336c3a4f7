"""Permanent deletion: delete all rows about a document, and track deleted text that is still in the files.

A deleted row stays in free pages of the store's file, and in segments and old versions of the indexes. The
deleting transaction counts what must be erased; `engine.erasing` rewrites the files and settles the count. If
the process is killed in between, the count stays and the next process finishes the work.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

from ark_tui.store import overrides
from ark_tui.store.lease import Lease, among

Kind: TypeAlias = Literal["documents", "messages", "notes", "removed"]


class Due(NamedTuple):
    """Counts of deleted texts that may still be in the files.

    `notes`: scratch notes and tasks. `removed`: texts that changed, or whose files were removed.
    """

    documents: int = 0
    messages: int = 0
    notes: int = 0
    removed: int = 0

    @property
    def asked(self) -> int:
        """How many of them were deleted on request."""
        return self.documents + self.messages + self.notes


def note(lease: Lease, kind: Kind, count: int) -> None:
    """Count what this transaction deletes."""
    if count:
        lease.take(f"deleted {kind}", count)


def deleted(lease: Lease) -> Due:
    """Counts of everything that was ever deleted."""
    return _counts(lease, "deleted")


def due(lease: Lease) -> Due:
    """Counts of what must still be erased."""
    gone, erased = deleted(lease), _counts(lease, "erased")
    return Due(*(a - b for a, b in zip(gone, erased, strict=True)))


def settle(lease: Lease, upto: Due) -> None:
    """Record that everything deleted up to these counts has been erased."""
    for kind, count in upto._asdict().items():
        lease.run(
            "UPDATE ark.counters SET value = greatest(value, ?) WHERE name = ?", count, f"erased {kind}"
        )


def forget(lease: Lease, numbers: Sequence[int]) -> None:
    """Delete rows about permanently deleted documents: edits, search results, overrides and links to them.

    The description of an edit contains titles, so it is replaced in every edit of one of the documents.
    """
    if not numbers:
        return
    these = among(numbers)
    ids = f"(SELECT id FROM ark.documents WHERE number {these})"
    lease.run(f"DELETE FROM ark.answers WHERE document IN {ids}")
    lease.run(
        "UPDATE ark.edits SET what = 'an edit of purged documents', inverse = 'undid an edit of purged "
        f"documents' WHERE number IN (SELECT edit FROM ark.strokes WHERE document {these} "
        f"OR split_part(key, ' ', 2) IN {ids})"
    )
    lease.run(f"DELETE FROM ark.strokes WHERE document {these}")
    lease.run(
        "UPDATE ark.edits SET state = 'dropped' WHERE state <> 'dropped' "
        "AND number NOT IN (SELECT edit FROM ark.strokes)"
    )
    overrides.forget(lease, numbers)


def _counts(lease: Lease, what: str) -> Due:
    rows = lease.rows("SELECT name, value FROM ark.counters WHERE starts_with(name, ?)", f"{what} ")
    return Due(**{str(name).removeprefix(f"{what} "): int(value) for name, value in rows})
