"""Links as a person follows them: with the documents at their ends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ark_tui.domain.documents import Document, Link
from ark_tui.store import documents
from ark_tui.store.lease import Lease
from ark_tui.store.links import ELSEWHERE, SURENESS

CANDIDATES = 8  # how many an ambiguous link lists


def outgoing(lease: Lease, number: int) -> list[Link]:
    """The links of a document, in the order they are written; those of front matter first."""
    rows = lease.rows(
        "SELECT relation, target, line, origin, anchor, name, resolved FROM ark.links "
        "WHERE document = ? ORDER BY line, relation, target",
        number,
    )
    ends = _alive(lease, [int(row[6]) for row in rows if row[6] is not None])
    open_names = [str(row[5]) for row in rows if row[5] and row[6] not in ends]
    candidates = _candidates(lease, number, open_names)
    return [
        Link(relation, "out", target, ends.get(resolved or 0), line, origin, anchor,
             () if resolved in ends else candidates.get(name, ()))
        for relation, target, line, origin, anchor, name, resolved in rows
    ]  # fmt: skip


def incoming(lease: Lease, number: int) -> list[Link]:
    """The links that lead to a document, by the documents they come from."""
    rows = lease.rows(
        "SELECT relation, target, document, line, origin, anchor FROM ark.links WHERE resolved = ?", number
    )
    starts = _alive(lease, [int(row[2]) for row in rows])
    links = [
        Link(relation, "in", target, starts[document], line, origin, anchor)
        for relation, target, document, line, origin, anchor in rows
        if document in starts
    ]
    return sorted(links, key=_place)


def _alive(lease: Lease, numbers: Iterable[int]) -> dict[int, Document]:
    wanted = list(dict.fromkeys(numbers))
    living = lease.numbers(
        "SELECT number FROM ark.documents WHERE gone IS NULL AND number IN (SELECT unnest(?::BIGINT[]))",
        wanted,
    )
    return documents.documents(lease, living) if living else {}


def _candidates(lease: Lease, number: int, wanted: Sequence[str]) -> dict[str, tuple[Document, ...]]:
    """The documents that may be meant by names which several bear."""
    if not wanted:
        return {}
    rows = lease.rows(
        f"""WITH found AS (
                SELECT n.name, n.document,
                       {SURENESS} + CASE WHEN n.collection = d.collection THEN 0 ELSE {ELSEWHERE} END AS rank
                FROM ark.names n JOIN ark.documents d ON d.number = ?
                WHERE n.name IN (SELECT unnest(?::VARCHAR[])))
            SELECT name, document FROM found
            QUALIFY rank = min(rank) OVER (PARTITION BY name) ORDER BY name, document""",
        number,
        list(dict.fromkeys(wanted)),
    )
    bearers: dict[str, list[int]] = {}
    for name, document in rows:
        bearers.setdefault(str(name), []).append(int(document))
    shown = {name: found[:CANDIDATES] for name, found in bearers.items() if len(found) > 1}
    alive = _alive(lease, (document for found in shown.values() for document in found))
    return {name: tuple(alive[document] for document in found) for name, found in shown.items()}


def _place(link: Link) -> tuple[str, str, int, str]:
    assert link.document
    return link.document.collection, link.document.path, link.line, link.relation
