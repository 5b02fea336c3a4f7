"""The trash: documents whose text stays while nothing finds them.

What the indexes and the graph know of such a document is moved aside as it is, and back again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ark_tui.store import before, changes
from ark_tui.store.lease import Lease, among

ASIDE = ("chunks", "links", "names")
HELD = "number IN (SELECT document FROM ark.said WHERE aspect = 'trash')"
"""True of a document that is in the trash."""


def held(lease: Lease, numbers: Iterable[int]) -> list[int]:
    """Which of these documents are to be in the trash."""
    return lease.numbers(
        f"SELECT document FROM ark.said WHERE aspect = 'trash' AND document {among(numbers)} ORDER BY 1"
    )


def put(lease: Lease, numbers: Sequence[int]) -> set[str]:
    """Put living documents aside; returns the names that go with them, for `links.settle`."""
    if not numbers:
        return set()
    names = _names(lease, "names", numbers)
    chunks = _chunks(lease, numbers)
    empty(lease, numbers)
    for table in ASIDE:
        lease.run(
            f"INSERT INTO ark.trashed_{table} BY NAME SELECT * FROM ark.{table} "
            f"WHERE document {among(numbers)} {_without_user(table)}"
        )
        lease.run(f"DELETE FROM ark.{table} WHERE document {among(numbers)}")
    lease.run(f"UPDATE ark.documents SET gone = ? WHERE number {among(numbers)}", lease.moment)
    changes.log(lease, chunks, gone=True)
    changes.log(lease, before.after(lease, before.places(lease, numbers)))
    return names


def back(lease: Lease, numbers: Sequence[int]) -> set[str]:
    """Bring documents back as they were; returns the names that come with them, for `links.settle`."""
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
    """Drop what was put aside."""
    for table in ASIDE:
        lease.delete(f"trashed_{table}", "document", numbers)


def make_room(lease: Lease, folder: str, path: str) -> None:
    """Before another file takes the place of documents in the trash: those get a place of their own."""
    lease.run(
        "UPDATE ark.documents SET path = path || '~' || left(id, 6) "
        f"WHERE folder = ? AND path = ? AND gone IS NOT NULL AND {HELD}",
        folder,
        path,
    )


def _without_user(table: str) -> str:
    """Links that a person made are made again from what was said."""
    return "AND origin <> 'user'" if table == "links" else ""


def _names(lease: Lease, table: str, numbers: Sequence[int]) -> set[str]:
    rows = lease.rows(f"SELECT DISTINCT name FROM ark.{table} WHERE document {among(numbers)}")
    return {str(row[0]) for row in rows}


def _chunks(lease: Lease, numbers: Sequence[int]) -> list[int]:
    return lease.numbers(f"SELECT number FROM ark.chunks WHERE document {among(numbers)} ORDER BY number")
