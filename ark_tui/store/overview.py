"""Counts over the living documents: what there is, of which kind, and when it came."""

from __future__ import annotations

from typing import Literal

from ark_tui.domain.documents import OCCURRED_IN, Document
from ark_tui.domain.overview import Days
from ark_tui.domain.query import Kind
from ark_tui.store import documents
from ark_tui.store.lease import Lease

MOST = 100_000
"""Values of a kind; nobody looks through more."""

LIVING = "FROM ark.documents d WHERE d.gone IS NULL AND d.layer <> 1"  # without messages


def counted(lease: Lease, by: Literal["tier", "type", "date_source"]) -> dict[str, int]:
    """How many documents have each value, the commonest first."""
    rows = lease.rows(f"SELECT d.{by}, count(*) AS n {LIVING} GROUP BY 1 ORDER BY n DESC, 1")
    return {str(value): int(count) for value, count in rows}


def tags(lease: Lease, limit: int) -> dict[str, int]:
    """The tags on most documents."""
    rows = lease.rows(
        f"""SELECT t.tag, count(DISTINCT t.document) AS n FROM ark.tags t
            WHERE t.document IN (SELECT d.number {LIVING}) GROUP BY 1 ORDER BY n DESC, 1 LIMIT ?""",
        limit,
    )
    return {str(tag): int(count) for tag, count in rows}


def values(lease: Lease, kind: Kind) -> dict[str, int]:
    """What documents say of a kind and how many do, the commonest first."""
    if kind == "tag":
        return tags(lease, MOST)
    rows = lease.rows(f"SELECT d.{kind}, count(*) AS n {LIVING} GROUP BY 1 ORDER BY n DESC, 1 LIMIT ?", MOST)
    return {str(value): int(count) for value, count in rows if value}


def relations(lease: Lease) -> dict[str, tuple[int, int]]:
    """Per relation: links that lead to a living document, and all links; periods are no documents."""
    rows = lease.rows(
        f"""SELECT l.relation, count(*) FILTER (WHERE l.resolved IN (SELECT d.number {LIVING})), count(*) AS n
            FROM ark.links l WHERE l.relation <> ? AND l.document IN (SELECT d.number {LIVING})
            GROUP BY 1 ORDER BY n DESC, 1""",
        OCCURRED_IN,
    )
    return {str(name): (int(there), int(every)) for name, there, every in rows}


def tokens(lease: Lease) -> int:
    """All the text there is, in tokens of the static model."""
    of = f"c.document IN (SELECT d.number {LIVING})"
    return lease.count(f"SELECT coalesce(sum(c.tokens), 0) FROM ark.chunks c WHERE {of}")


def dated(lease: Lease) -> Days:
    """Documents by the month of their own date."""
    rows = lease.rows(
        f"""SELECT CAST(date_trunc('month', d.date) AS DATE), count(*) {LIVING} AND d.date IS NOT NULL
            GROUP BY 1 ORDER BY 1"""
    )
    return tuple((day, int(count)) for day, count in rows)


def newest(lease: Lease, limit: int) -> tuple[Document, ...]:
    """The documents of the latest dates."""
    numbers = lease.numbers(
        f"""SELECT d.number {LIVING} AND d.date IS NOT NULL
            ORDER BY d.date DESC, d.collection, d.path, d.item LIMIT ?""",
        limit,
    )
    found = documents.documents(lease, numbers)
    return tuple(found[number] for number in numbers)
