"""Finds what needs looking after: links to nowhere, documents of repeated chunks, files as they were."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from ark_tui.domain.documents import OCCURRED_IN
from ark_tui.domain.upkeep import Broken, Repeat
from ark_tui.store import documents
from ark_tui.store.lease import Lease


def broken(lease: Lease) -> Iterator[Broken]:
    """Links of living documents to a name that no document bears."""
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
    """The documents of chunks that repeat others: (chunk, the first of its kind), by number."""
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
    """Every indexed file: its collection, root, path, size and when it was saved, in nanoseconds."""
    return [
        (str(folder), str(root), str(path), int(size), int(saved))
        for folder, root, path, size, saved in lease.rows(
            """SELECT f.folder, k.root, f.path, f.size, f.mtime_ns FROM ark.files f
               JOIN ark.collections k ON k.name = f.folder
               WHERE k.root IS NOT NULL AND f.state = 'indexed' ORDER BY 1, 3"""
        )
    ]
