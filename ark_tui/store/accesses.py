"""Hits that were opened, copied or cited, by whom: what the access boost counts (requirement S8)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from ark_tui.store.lease import Lease, among

COLUMNS = {
    "agent": "VARCHAR", "document": "BIGINT", "kind": "VARCHAR", "retrieval": "VARCHAR",
    "moment": "TIMESTAMP",
}  # fmt: skip


def put(lease: Lease, agent: str, documents: Sequence[int], kind: str, retrieval: str = "") -> None:
    """Note that an agent has made use of documents."""
    moment = lease.moment
    lease.insert("accesses", COLUMNS, [(agent, document, kind, retrieval, moment) for document in documents])


def counts(lease: Lease, agent: str, documents: Sequence[int]) -> dict[int, int]:
    """How often an agent has made use of documents, by number; those never used are left out."""
    rows = lease.rows(
        f"SELECT document, count(*) FROM ark.accesses "
        f"WHERE agent = ? AND document {among(documents)} GROUP BY 1",
        agent,
    )
    return {int(document): int(count) for document, count in rows}


def any_since(lease: Lease, agent: str, moment: datetime) -> bool:
    """Whether an agent has made use of anything after a moment."""
    after = moment.replace(tzinfo=None)
    return bool(lease.value("SELECT count(*) FROM ark.accesses WHERE agent = ? AND moment > ?", agent, after))
