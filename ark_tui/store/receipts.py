"""What the store knows for receipts: digests of the corpus and of documents, and what has changed since."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from ark_tui.domain.curation import YES
from ark_tui.domain.documents import Document, content_hash
from ark_tui.store import changes, documents

if TYPE_CHECKING:
    from ark_tui.store.lease import Lease

LIVING = "d.gone IS NULL AND d.layer <> 1"

RANKING = ("tag", "tier", "pin", "link", "unlink", "trash", "note")
"""Aspects of edits that bear on what a search lists; judgments and saved searches do not."""


@dataclass(frozen=True, slots=True)
class Counters:
    """How far the store is: the last numbers that were given out."""

    change: int
    edit: int
    document: int
    message: int = 0


@dataclass(frozen=True, slots=True)
class Since:
    """Paths of the documents that were added, edited and removed since, and what edits said."""

    added: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    edits: tuple[str, ...] = ()


def counters(lease: Lease) -> Counters:
    """The counters as they are."""
    found = {str(name): int(value) for name, value in lease.rows("SELECT name, value FROM ark.counters")}
    return Counters(found["change"], found["edit"], found["document"], found["message"])


def digest(lease: Lease) -> str:
    """32 hex digits over the texts of all chunks: equal corpora of any home have equal ones."""
    value = lease.value(
        f"""SELECT bit_xor(md5_number(d.id || ':' || c.ordinal || ':' || c.text_hash))
            FROM ark.chunks c JOIN ark.documents d ON d.number = c.document WHERE {LIVING}"""
    )
    return f"{int(value or 0):032x}"


def contents(lease: Lease, ids: Sequence[str]) -> dict[str, str]:
    """A digest of the title and the text of documents that are there, by id."""
    rows = lease.rows(
        "SELECT id, title, body FROM ark.documents "
        "WHERE gone IS NULL AND id IN (SELECT unnest(?::VARCHAR[]))",
        list(ids),
    )
    return {
        str(id_): content_hash(f"{title}\0{body}".encode("utf-8", "surrogatepass"))
        for id_, title, body in rows
    }


def texts(lease: Lease, chunks: Sequence[str]) -> dict[str, str]:
    """The text hashes of chunks, by id."""
    rows = lease.rows(
        """SELECT d.id || ':' || c.ordinal, c.text_hash
           FROM ark.chunks c JOIN ark.documents d ON d.number = c.document
           WHERE d.id || ':' || c.ordinal IN (SELECT unnest(?::VARCHAR[]))""",
        list(chunks),
    )
    return {str(id_): str(hash_) for id_, hash_ in rows}


def present(lease: Lease, ids: Sequence[str]) -> dict[str, Document]:
    """Those of some documents that are there, by id."""
    numbers = lease.numbers(
        "SELECT number FROM ark.documents WHERE gone IS NULL AND id IN (SELECT unnest(?::VARCHAR[]))",
        list(ids),
    )
    return {one.id: one for one in documents.documents(lease, numbers).values()}


def trashed(lease: Lease, ids: Sequence[str]) -> frozenset[str]:
    """Those of some documents that lie in the trash."""
    rows = lease.rows(
        """SELECT d.id FROM ark.documents d JOIN ark.said s ON s.document = d.number
           WHERE s.aspect = 'trash' AND s.value = ? AND d.id IN (SELECT unnest(?::VARCHAR[]))""",
        YES,
        list(ids),
    )
    return frozenset(str(row[0]) for row in rows)


def since(lease: Lease, then: Counters, at: datetime) -> Since:
    """What has happened to documents since the counters were so and the clock showed a moment."""
    moment = at.replace(tzinfo=None)
    place = "SELECT d.path FROM ark.documents d WHERE d.layer <> 1 AND d.number"
    touched = "SELECT s.document FROM ark.strokes s WHERE s.edit > ?"
    return Since(
        _paths(lease, f"{place} > ? AND d.gone IS NULL", then.document),
        _paths(
            lease,
            f"""{place} <= ? AND d.gone IS NULL AND (d.changed > ? OR (
                d.number IN (SELECT c.document FROM ark.chunks c JOIN ark.changes l ON l.chunk = c.number
                             WHERE l.number > ?) AND d.number NOT IN ({touched})))""",
            *(then.document, moment, then.change, then.edit),
        ),
        _paths(lease, f"{place} <= ? AND d.gone >= ? AND d.number NOT IN ({touched})",
               *(then.document, moment, then.edit)),
        tuple(
            str(row[0])
            for row in lease.rows(
                """SELECT DISTINCT e.what, e.number FROM ark.edits e JOIN ark.strokes s ON s.edit = e.number
                   WHERE e.number > ? AND e.state = 'done' AND s.aspect IN (SELECT unnest(?::VARCHAR[]))
                   ORDER BY e.number""",
                then.edit,
                list(RANKING),
            )
        ),
    )  # fmt: skip


def identity(lease: Lease) -> changes.Identity:
    """Which store it is."""
    return changes.identity(lease)


def totals(lease: Lease) -> tuple[int, int]:
    """How many documents and chunks there are."""
    return documents.totals(lease)


def _paths(lease: Lease, sql: str, *values: object) -> tuple[str, ...]:
    return tuple(str(row[0]) for row in lease.rows(f"{sql} ORDER BY d.path, d.item", *values))
