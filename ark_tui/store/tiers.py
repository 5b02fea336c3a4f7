"""Documents by tier: those of a domain, and counts."""

from __future__ import annotations

from datetime import UTC, date, datetime

from ark_tui.domain.documents import TIERS, Document, Tier
from ark_tui.domain.recall import MemoryStats
from ark_tui.store import documents, owners
from ark_tui.store.lease import Lease

COUNTED = "gone IS NULL AND layer <> 1"


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
