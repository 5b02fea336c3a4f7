"""Purge: permanently delete the documents in the trash with all rows about them."""

from __future__ import annotations

from ark_tui.domain.curation import YES
from ark_tui.domain.documents import Purged
from ark_tui.store import Lease, documents, erasure, files, links, overrides, trash
from ark_tui.store.lease import among

SPEAKING = (*documents.BELONGINGS, "links", "patterns", "directives")
"""Tables with rows of a document."""


def due(lease: Lease) -> Purged:
    """The documents that `purge` would delete."""
    numbers = held(lease)
    listed = [word.document for word in overrides.all_of(lease, "trash") if word.value == YES]
    found = documents.documents(lease, listed) if listed else {}
    size = lease.value(
        f"SELECT coalesce(sum(strlen(body)), 0) FROM ark.documents WHERE number {among(numbers)}"
    )
    rows = lease.value(
        "SELECT count(*) FROM ark.answers WHERE document IN "
        f"(SELECT id FROM ark.documents WHERE number {among(numbers)})"
    )
    to_them = lease.value(
        f"SELECT count(DISTINCT (document, relation, target)) FROM ark.links WHERE resolved {among(numbers)}"
    )
    return Purged(tuple(found.values()), int(size), int(rows), int(to_them))


def purge(lease: Lease) -> Purged:
    """Delete the documents in the trash. Their files stay, and are indexed again only when they change."""
    purged, numbers = due(lease), held(lease)
    if not numbers:
        return purged
    erasure.note(lease, "documents", len(numbers))
    _let_files_be(lease, numbers)
    erasure.forget(lease, numbers)
    links.forget(lease, numbers)
    trash.empty(lease, numbers)
    for table in SPEAKING:
        lease.delete(table, "document", numbers)
    lease.delete("documents", "number", numbers)
    return purged


def held(lease: Lease) -> list[int]:
    """The documents in the trash, including notes whose addition was undone."""
    return [word.document for word in overrides.all_of(lease, "trash")]


def _let_files_be(lease: Lease, numbers: list[int]) -> None:
    """Mark files whose documents are all deleted as skipped, so that the next run does not index them."""
    lease.run(
        f"""UPDATE ark.files SET state = 'skipped', reason = ? FROM (
                SELECT folder, path FROM ark.documents GROUP BY 1, 2 HAVING bool_and(number {among(numbers)})
            ) d WHERE files.folder = d.folder AND files.path = d.path AND files.state = 'indexed'""",
        files.PURGED,
    )
