"""Deleting for good: what speaks of a document goes with it, and what is still in the files is known.

A deleted row stays in free pages of the store's file, and in segments and old versions of the indexes. The
transaction that deletes counts what is to be erased; `engine.erasing` writes the files anew and settles that.
Killed in between, the count stays, and whoever comes next finishes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

from ark_tui.store import overrides
from ark_tui.store.lease import Lease, among

Kind: TypeAlias = Literal["documents", "messages", "notes", "removed"]


class Due(NamedTuple):
    """How much was deleted whose text may still be in the files.

    `notes`: of the scratchpad, and tasks. `removed`: texts that were changed, or left with their files.
    """

    documents: int = 0
    messages: int = 0
    notes: int = 0
    removed: int = 0

    @property
    def asked(self) -> int:
        """How much of it somebody deleted for good."""
        return self.documents + self.messages + self.notes


def note(lease: Lease, kind: Kind, count: int) -> None:
    """Count what this transaction deletes."""
    if count:
        lease.take(f"deleted {kind}", count)


def deleted(lease: Lease) -> Due:
    """How much was ever deleted."""
    return _counts(lease, "deleted")


def due(lease: Lease) -> Due:
    """How much is still to be erased."""
    gone, erased = deleted(lease), _counts(lease, "erased")
    return Due(*(a - b for a, b in zip(gone, erased, strict=True)))


def settle(lease: Lease, upto: Due) -> None:
    """Note that everything has been erased that was deleted up to these counts."""
    for kind, count in upto._asdict().items():
        lease.run(
            "UPDATE ark.counters SET value = greatest(value, ?) WHERE name = ?", count, f"erased {kind}"
        )


def forget(lease: Lease, numbers: Sequence[int]) -> None:
    """Drop what speaks of documents that go for good: edits, rows of searches, what was said, links to them.

    The words of an edit name titles, so they go from every edit that concerns one of the documents.
    """
    if not numbers:
        return
    these = among(numbers)
    ids = f"(SELECT id FROM ark.documents WHERE number {these})"
    lease.run(f"DELETE FROM ark.answers WHERE document IN {ids}")
    lease.run(
        "UPDATE ark.edits SET what = 'an edit of purged documents', inverse = 'took back an edit of purged "
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
