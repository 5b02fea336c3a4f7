"""Collections for programs: sizes in tokens, metadata of texts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ark_tui.domain.errors import NotFound
from ark_tui.domain.library import CollectionSize
from ark_tui.store import fields
from ark_tui.store.lease import Lease

LIVE = "ark.documents d JOIN ark.chunks c ON c.document = d.number WHERE d.gone IS NULL"
SIZES = "count(*), min(c.tokens), max(c.tokens), avg(c.tokens)"


def sizes(lease: Lease) -> list[CollectionSize]:
    """All collections with chunks, by name."""
    rows = lease.rows(f"SELECT d.collection, {SIZES} FROM {LIVE} GROUP BY 1 ORDER BY 1")
    return [
        CollectionSize(str(name), int(count), int(least), int(most), float(mean))
        for name, count, least, most, mean in rows
    ]


def size(lease: Lease, name: str) -> CollectionSize:
    """A collection with its sources; an empty one has no sources and no chunks."""
    count, least, most, mean = lease.rows(f"SELECT {SIZES} FROM {LIVE} AND d.collection = ?", name)[0]
    sources = lease.rows(
        "SELECT DISTINCT path FROM ark.documents WHERE gone IS NULL AND collection = ? ORDER BY 1", name
    )
    return CollectionSize(
        name, int(count), int(least or 0), int(most or 0), float(mean or 0.0),
        tuple(str(row[0]) for row in sources),
    )  # fmt: skip


def sources(lease: Lease, name: str, source: str | None) -> list[tuple[str, str]]:
    """Folder and path of all texts of a collection, or of the one with this source."""
    rows = lease.rows(
        "SELECT DISTINCT folder, path FROM ark.documents WHERE gone IS NULL AND collection = ? "
        "AND (?::VARCHAR IS NULL OR path = ?)",
        name,
        source,
        source,
    )
    return [(str(folder), str(path)) for folder, path in rows]


def chunk(lease: Lease, name: str) -> tuple[int, int, str]:
    """Document, chunk and short id of the chunk `collection:source:index`.

    Raises `NotFound`. The source and the collection may contain colons.
    """
    head, _, ordinal = name.rpartition(":")
    rows = lease.rows(
        "SELECT d.number, c.number, d.id FROM ark.documents d JOIN ark.chunks c ON c.document = d.number "
        "WHERE d.gone IS NULL AND d.collection || ':' || d.path = ? AND c.ordinal = ? ORDER BY d.item",
        head,
        int(ordinal) if ordinal.isdecimal() and len(ordinal) < 9 else -1,
    )
    if not rows:
        raise NotFound(f"There is no chunk {name}.", "Chunk ids come with the results of search-query.")
    document, number, id_ = rows[0]
    return int(document), int(number), f"#{id_[:6]}:{ordinal}"


def put_metadata(lease: Lease, given: Mapping[int, Mapping[str, Any]]) -> None:
    """Store metadata given by programs, in place of the documents' own fields."""
    rows = [(number, json.dumps(value, ensure_ascii=False)) for number, value in given.items() if value]
    lease.delete("metadata", "document", [number for number, _ in rows])
    lease.insert("metadata", rows)


def metadata(lease: Lease, numbers: Sequence[int]) -> dict[int, dict[str, Any]]:
    """Metadata given by programs, by document number; documents without any are left out."""
    rows = lease.rows(
        "SELECT document, value FROM ark.metadata WHERE document IN (SELECT unnest(?::BIGINT[]))",
        list(numbers),
    )
    said = {int(number): json.loads(value) for number, value in rows}
    return {number: value for number, value in said.items() if fields.STATED not in value}
