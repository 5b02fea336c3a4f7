"""Statistics of documents: counts by kind, date and relation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Literal

from ark_tui.domain.documents import OCCURRED_IN, TIERS, Document, Tier
from ark_tui.domain.library import Broken, Repeat
from ark_tui.domain.query import Kind
from ark_tui.domain.recall import MemoryStats
from ark_tui.store import documents, owners
from ark_tui.store.lease import Lease, among

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST = 100_000
"""The limit of distinct values."""

COUNTED = "gone IS NULL AND layer <> 1"
LIVING = "FROM ark.documents d WHERE d.gone IS NULL AND d.layer <> 1"  # without messages


def counted(lease: Lease, by: Literal["tier", "type", "date_source"]) -> dict[str, int]:
    """The number of documents for each value, most frequent first."""
    rows = lease.rows(f"SELECT d.{by}, count(*) AS n {LIVING} GROUP BY 1 ORDER BY n DESC, 1")
    return {str(value): int(count) for value, count in rows}


def tags(lease: Lease, limit: int) -> dict[str, int]:
    """The most frequent tags."""
    rows = lease.rows(
        f"""SELECT t.tag, count(DISTINCT t.document) AS n FROM ark.tags t
            WHERE t.document IN (SELECT d.number {LIVING}) GROUP BY 1 ORDER BY n DESC, 1 LIMIT ?""",
        limit,
    )
    return {str(tag): int(count) for tag, count in rows}


def values(lease: Lease, kind: Kind) -> dict[str, int]:
    """The values of a kind with the number of their documents, most frequent first."""
    if kind == "tag":
        return tags(lease, MOST)
    rows = lease.rows(f"SELECT d.{kind}, count(*) AS n {LIVING} GROUP BY 1 ORDER BY n DESC, 1 LIMIT ?", MOST)
    return {str(value): int(count) for value, count in rows if value}


def relations(lease: Lease) -> dict[str, tuple[int, int]]:
    """Per relation: links with an existing target, and all links. Links to periods are excluded."""
    rows = lease.rows(
        f"""SELECT l.relation, count(*) FILTER (WHERE l.resolved IN (SELECT d.number {LIVING})), count(*) AS n
            FROM ark.links l WHERE l.relation <> ? AND l.document IN (SELECT d.number {LIVING})
            GROUP BY 1 ORDER BY n DESC, 1""",
        OCCURRED_IN,
    )
    return {str(name): (int(there), int(every)) for name, there, every in rows}


def tokens(lease: Lease) -> int:
    """The total length of all texts, in tokens of the static model."""
    of = f"c.document IN (SELECT d.number {LIVING})"
    return lease.count(f"SELECT coalesce(sum(c.tokens), 0) FROM ark.chunks c WHERE {of}")


def newest(lease: Lease, limit: int) -> tuple[Document, ...]:
    """The documents with the latest dates."""
    numbers = lease.numbers(
        f"""SELECT d.number {LIVING} AND d.date IS NOT NULL
            ORDER BY d.date DESC, d.collection, d.path, d.item LIMIT ?""",
        limit,
    )
    found = documents.documents(lease, numbers)
    return tuple(found[number] for number in numbers)


def broken(lease: Lease) -> Iterator[Broken]:
    """Links of existing documents to a name that no document has."""
    rows = lease.rows(
        """SELECT DISTINCT l.document, l.relation, l.target, l.line FROM ark.links l
           JOIN ark.documents d ON d.number = l.document AND d.gone IS NULL
           WHERE l.relation <> ? AND NOT EXISTS
               (SELECT 1 FROM ark.documents t WHERE t.number = l.resolved AND t.gone IS NULL)
             AND NOT EXISTS (SELECT 1 FROM ark.names n WHERE n.name = l.name)
           ORDER BY l.document, l.line, l.target, l.relation""",
        OCCURRED_IN,
    )
    found = documents.documents(lease, list({int(row[0]) for row in rows}))
    for number, relation, target, line in rows:
        if int(number) in found:
            yield Broken(found[int(number)], str(relation), str(target), int(line))


def repeats(lease: Lease, pairs: Sequence[tuple[int, int]]) -> Iterator[Repeat]:
    """The documents of repeated chunks, from pairs of numbers: (chunk, its first occurrence)."""
    numbers = sorted({number for pair in pairs for number in pair})
    rows = lease.rows(
        """SELECT c.number, c.document FROM ark.chunks c
           JOIN ark.documents d ON d.number = c.document AND d.gone IS NULL
           WHERE c.number IN (SELECT unnest(?::BIGINT[]))""",
        numbers,
    )
    document = {int(chunk): int(number) for chunk, number in rows}
    counted = Counter((document[a], document[b]) for a, b in pairs if a in document and b in document)
    between = {pair: count for pair, count in counted.items() if pair[0] != pair[1]}
    found = documents.documents(lease, sorted({number for pair in between for number in pair}))
    for (later, first), count in between.items():
        if later in found and first in found:
            yield Repeat(found[later], found[first], count)


def indexed(lease: Lease) -> list[tuple[str, str, str, int, int]]:
    """All indexed files: collection, root, path, size, and modification time in nanoseconds."""
    return [
        (str(folder), str(root), str(path), int(size), int(saved))
        for folder, root, path, size, saved in lease.rows(
            """SELECT f.folder, k.root, f.path, f.size, f.mtime_ns FROM ark.files f
               JOIN ark.collections k ON k.name = f.folder
               WHERE k.root IS NOT NULL AND f.state = 'indexed' ORDER BY 1, 3"""
        )
    ]


Happening = Literal["added", "changed", "searches", "accesses"]

_PER_DAY: dict[Happening, str] = {
    "added": f"added::DATE FROM ark.documents WHERE {COUNTED}",
    "changed": f"changed::DATE FROM ark.documents WHERE {COUNTED} AND changed::DATE <> added::DATE",
    "searches": "moment::DATE FROM ark.searches",
    "accesses": "moment::DATE FROM ark.accesses",
}


def per_day(lease: Lease, what: Happening) -> dict[date, int]:
    """The number of events by day (UTC).

    Existing documents by the day on which they were first stored, or last changed if that was on a later day;
    searches; results opened, copied or cited.
    """
    return _counted_days(lease, _PER_DAY[what])


def per_own_date(lease: Lease) -> tuple[dict[date, int], int]:
    """The number of existing documents by their own date, and the number without one."""
    own = "date IS NOT NULL AND date_source NOT IN ('modified', 'none')"
    days = _counted_days(lease, f"date::DATE FROM ark.documents WHERE {COUNTED} AND {own}")
    every = lease.count(f"SELECT count(*) FROM ark.documents WHERE {COUNTED}")
    return days, every - sum(days.values())


def numbers(lease: Lease) -> NDArray[np.int64]:
    """The numbers of all documents, ascending."""
    return lease.columns("SELECT number FROM ark.documents WHERE gone IS NULL ORDER BY number")["number"]


def beginnings(lease: Lease, numbers: Sequence[int], characters: int) -> dict[int, str]:
    """The title and first characters of documents, by number."""
    return {
        int(number): f"{title}\n{text}"
        for number, title, text in lease.rows(
            f"SELECT number, title, substring(body, 1, {characters}) FROM ark.documents "
            f"WHERE gone IS NULL AND number {among(numbers)}"
        )
    }


def _counted_days(lease: Lease, days: str) -> dict[date, int]:
    return {
        day: int(count)
        for day, count in lease.rows(f"SELECT day, count(*) FROM (SELECT {days}) t(day) GROUP BY 1")
    }


def tagged(
    lease: Lease, tag: str, tier: Tier, *, path_prefix: str, since: date | None, limit: int
) -> list[Document]:
    """The latest documents of a tier with a tag, since a date; undated ones count by their date of change."""
    seen, viewer = owners.visible("d")
    numbers = lease.numbers(
        f"""SELECT number FROM ark.documents d
           WHERE {seen} AND gone IS NULL AND tier = ?
             AND (starts_with(path, ?) OR starts_with(collection || '/' || path, ?))
             AND EXISTS (SELECT 1 FROM ark.tags t WHERE t.document = d.number AND lower(t.tag) = ?)
             AND NOT EXISTS (SELECT 1 FROM ark.superseded s WHERE s.document = d.number)
             AND (?::DATE IS NULL OR coalesce(date, changed::DATE) >= ?::DATE)
           ORDER BY date DESC NULLS LAST, changed DESC, number LIMIT ?""",
        *viewer,
        tier,
        path_prefix,
        path_prefix,
        tag.lower(),
        since,
        since,
        limit,
    )
    found = documents.documents(lease, numbers)
    return [found[number] for number in numbers]


def stats(lease: Lease, since: datetime) -> MemoryStats:
    """Totals. Messages and missing link targets are not counted."""
    counted = {str(tier): int(count) for tier, count in lease.rows(
        f"SELECT tier, count(*) FROM ark.documents WHERE {COUNTED} GROUP BY 1")}  # fmt: skip
    fresh = lease.value(
        f"SELECT count(*) FROM ark.documents WHERE {COUNTED} AND added >= ?",
        since.astimezone(UTC).replace(tzinfo=None),
    )
    last = lease.value(
        "SELECT max(coalesce(date::TIMESTAMP, added)) FROM ark.documents "
        "WHERE gone IS NULL AND tier = 'reflection'"
    )
    total = sum(counted.values())
    return MemoryStats(
        total_documents=total,
        by_tier={tier: counted.get(tier, 0) for tier in TIERS},
        new_since=int(fresh),
        chunks_per_doc_p50=_chunks_at(lease, total * 50 // 100),
        chunks_per_doc_p90=_chunks_at(lease, total * 90 // 100),
        last_reflection_at=last.replace(tzinfo=UTC) if last else None,
        since=since,
    )


def _chunks_at(lease: Lease, index: int) -> int:
    """The number of chunks of the document at this index, sorted by that number; 0 without documents."""
    return int(
        lease.value(
            f"""SELECT count(c.number) AS chunks FROM ark.documents d
               LEFT JOIN ark.chunks c ON c.document = d.number
               WHERE {COUNTED} GROUP BY d.number ORDER BY chunks LIMIT 1 OFFSET ?""",
            index,
        )
        or 0
    )
