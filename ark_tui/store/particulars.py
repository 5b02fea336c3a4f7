"""One document looked at closely: how it is stored, its symbols, the lines that links stand in."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from ark_tui.domain.reading import Particulars, Symbol
from ark_tui.store.lease import Lease, among

LONGEST = 400  # characters of a line that are handed out


def of(lease: Lease, number: int) -> Particulars:
    """How a document is stored."""
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
    """The functions and classes of source code, the pages and headings of other files, where each begins."""
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
    """Lines of documents, by the document's id and the line's number from 1."""
    rows = lease.rows(
        f"""SELECT d.id, w.line, left(list_extract(string_split(d.body, chr(10)), w.line), {LONGEST})
            FROM (SELECT unnest(?::VARCHAR[]) AS id, unnest(?::INTEGER[]) AS line) w
            JOIN ark.documents d ON d.id = w.id AND d.gone IS NULL WHERE w.line > 0""",
        [id_ for id_, _ in places],
        [line for _, line in places],
    )
    return {(str(id_), int(line)): str(text or "").strip() for id_, line, text in rows}


def same_text(lease: Lease, number: int) -> list[int]:
    """Other documents with the very same content."""
    return lease.numbers(
        """SELECT o.number FROM ark.documents d JOIN ark.documents o ON o.hash = d.hash AND o.item = d.item
           WHERE d.number = ? AND o.number <> d.number AND o.gone IS NULL AND d.hash <> '' ORDER BY 1""",
        number,
    )


def chunks(lease: Lease, number: int) -> set[int]:
    """The numbers of a document's chunks."""
    return set(lease.numbers("SELECT number FROM ark.chunks WHERE document = ?", number))


def holders(lease: Lease, numbers: Sequence[int]) -> list[int]:
    """The documents that some chunks are of."""
    return lease.numbers(
        f"""SELECT DISTINCT c.document FROM ark.chunks c JOIN ark.documents d ON d.number = c.document
            WHERE d.gone IS NULL AND c.number {among(numbers)} ORDER BY 1"""
    )


def _aware(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC)
