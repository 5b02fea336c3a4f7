"""The trash: documents that keep their text but are hidden from searches and links.

Their chunks, links and names are moved to separate tables, and back when restored.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ark_tui.store import before, changes
from ark_tui.store.lease import Lease, among

ASIDE = ("chunks", "links", "names")
HELD = "number IN (SELECT document FROM ark.said WHERE aspect = 'trash')"
"""The SQL condition for documents in the trash."""


def held(lease: Lease, numbers: Iterable[int]) -> list[int]:
    """Those of these documents that are marked as trashed."""
    return lease.numbers(
        f"SELECT document FROM ark.said WHERE aspect = 'trash' AND document {among(numbers)} ORDER BY 1"
    )


def put(lease: Lease, numbers: Sequence[int]) -> set[str]:
    """Move documents to the trash; returns their names, for `links.settle`."""
    if not numbers:
        return set()
    names = _names(lease, "names", numbers)
    chunks = _chunks(lease, numbers)
    empty(lease, numbers)
    for table in ASIDE:
        kept = (
            "origin <> 'user'" if table == "links" else "true"
        )  # a user's links are rebuilt from the overrides
        lease.run(
            f"INSERT INTO ark.trashed_{table} BY NAME SELECT * FROM ark.{table} "
            f"WHERE document {among(numbers)} AND {kept}"
        )
        lease.run(f"DELETE FROM ark.{table} WHERE document {among(numbers)}")
    lease.run(f"UPDATE ark.documents SET gone = ? WHERE number {among(numbers)}", lease.moment)
    changes.log(lease, chunks, gone=True)
    changes.log(lease, before.after(lease, before.places(lease, numbers)))
    return names


def back(lease: Lease, numbers: Sequence[int]) -> set[str]:
    """Restore documents unchanged; returns their names, for `links.settle`."""
    if not numbers:
        return set()
    names = _names(lease, "trashed_names", numbers)
    for table in ASIDE:
        lease.run(
            f"INSERT INTO ark.{table} BY NAME SELECT * FROM ark.trashed_{table} "
            f"WHERE document {among(numbers)}"
        )
    empty(lease, numbers)
    lease.run(f"UPDATE ark.documents SET gone = NULL WHERE number {among(numbers)}")
    changes.log(lease, [*_chunks(lease, numbers), *before.after(lease, before.places(lease, numbers))])
    return names


def empty(lease: Lease, numbers: Sequence[int]) -> None:
    """Delete the rows that were moved aside."""
    for table in ASIDE:
        lease.delete(f"trashed_{table}", "document", numbers)


def make_room(lease: Lease, folder: str, path: str) -> None:
    """Give documents in the trash another path before a file takes their place."""
    lease.run(
        "UPDATE ark.documents SET path = path || '~' || left(id, 6) "
        f"WHERE folder = ? AND path = ? AND gone IS NOT NULL AND {HELD}",
        folder,
        path,
    )


def _names(lease: Lease, table: str, numbers: Sequence[int]) -> set[str]:
    rows = lease.rows(f"SELECT DISTINCT name FROM ark.{table} WHERE document {among(numbers)}")
    return {str(row[0]) for row in rows}


def _chunks(lease: Lease, numbers: Sequence[int]) -> list[int]:
    return lease.numbers(f"SELECT number FROM ark.chunks WHERE document {among(numbers)} ORDER BY number")
