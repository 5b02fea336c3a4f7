"""Links with the documents at both ends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from ark_tui.domain.documents import Document, Link
from ark_tui.domain.reading import Particulars, Symbol
from ark_tui.store import documents
from ark_tui.store.lease import Lease, among
from ark_tui.store.links import ELSEWHERE, SURENESS

CANDIDATES = 8  # candidates listed for an ambiguous link


def outgoing(lease: Lease, number: int) -> list[Link]:
    """The links of a document, in the order of the text; those of front matter first."""
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
    """The links to a document, with their source documents."""
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
    """The candidates for names that several documents have."""
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


LONGEST = 400  # characters of a line that are returned


def of(lease: Lease, number: int) -> Particulars:
    """The technical details of a document."""
    row = lease.row(
        """SELECT d.format, d.hash, length(d.body), d.added, d.changed, d.source, d.place, d.source_id,
                  f.size, f.mtime_ns, f.reason
           FROM ark.documents d LEFT JOIN ark.files f ON f.folder = d.folder AND f.path = d.path
           WHERE d.number = ?""",
        number,
    )
    assert row
    format_, hash_, characters, added, changed, source, place, source_id, size, mtime, reason = row
    chunks, tokens = lease.row(
        "SELECT count(*), coalesce(sum(tokens), 0) FROM ark.chunks WHERE document = ?", number
    ) or (0, 0)
    tags = lease.rows("SELECT tag, origin FROM ark.tags WHERE document = ? ORDER BY tag, origin", number)
    return Particulars(
        format_, hash_, int(characters), int(chunks), int(tokens), _aware(added), _aware(changed),
        source, place, source_id,
        -1 if size is None else int(size),
        None if not mtime else datetime.fromtimestamp(mtime / 1e9, UTC),
        reason or "", tuple((str(tag), str(origin)) for tag, origin in tags),
    )  # fmt: skip


def symbols(lease: Lease, number: int) -> list[Symbol]:
    """The functions and classes of source code, or pages and headings of other files, with positions."""
    rows = lease.rows(
        """SELECT heading, min(start_line), min(start_char), bool_or(kind = 'symbol') FROM ark.chunks
           WHERE document = ? AND heading <> '' GROUP BY heading ORDER BY 3""",
        number,
    )
    return [
        Symbol(str(name), int(line), int(start), name.count(".") if code else 0)
        for name, line, start, code in rows
    ]


def lines(lease: Lease, places: Sequence[tuple[str, int]]) -> dict[tuple[str, int], str]:
    """Lines of documents, by document id and line number from 1."""
    rows = lease.rows(
        f"""SELECT d.id, w.line, left(list_extract(string_split(d.body, chr(10)), w.line), {LONGEST})
            FROM (SELECT unnest(?::VARCHAR[]) AS id, unnest(?::INTEGER[]) AS line) w
            JOIN ark.documents d ON d.id = w.id AND d.gone IS NULL WHERE w.line > 0""",
        [id_ for id_, _ in places],
        [line for _, line in places],
    )
    return {(str(id_), int(line)): str(text or "").strip() for id_, line, text in rows}


def same_text(lease: Lease, number: int) -> list[int]:
    """Other documents with identical content."""
    return lease.numbers(
        """SELECT o.number FROM ark.documents d JOIN ark.documents o ON o.hash = d.hash AND o.item = d.item
           WHERE d.number = ? AND o.number <> d.number AND o.gone IS NULL AND d.hash <> '' ORDER BY 1""",
        number,
    )


def chunks(lease: Lease, number: int) -> set[int]:
    """The numbers of a document's chunks."""
    return set(lease.numbers("SELECT number FROM ark.chunks WHERE document = ?", number))


def holders(lease: Lease, numbers: Sequence[int]) -> list[int]:
    """The documents that contain these chunks."""
    return lease.numbers(
        f"""SELECT DISTINCT c.document FROM ark.chunks c JOIN ark.documents d ON d.number = c.document
            WHERE d.gone IS NULL AND c.number {among(numbers)} ORDER BY 1"""
    )


def _aware(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC)
