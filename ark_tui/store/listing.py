"""Documents page by page: only a page of them ever leaves the store."""

from __future__ import annotations

from typing import Any

from ark_tui.domain.curation import YES
from ark_tui.domain.documents import Document
from ark_tui.domain.library import Findable, Listing, Order
from ark_tui.domain.paging import Page
from ark_tui.domain.unicode import composed
from ark_tui.store import documents, owners
from ark_tui.store.lease import Lease

PINNED, TRASHED = (
    f"(d.number IN (SELECT document FROM ark.said WHERE aspect = '{aspect}' AND value = '{YES}'))"
    for aspect in ("pin", "trash")
)
TAGGED = "EXISTS (SELECT 1 FROM ark.tags t WHERE t.document = d.number AND starts_with(t.tag || '/', ?))"
ORDER: dict[Order, str] = {
    "title": "lower(d.title), d.id",
    "date": "d.date DESC NULLS LAST, lower(d.title), d.id",
    "path": "d.collection, d.path, d.item, d.id",
}
WORD = (
    "(contains(nfc_normalize(lower(d.title || ' ' || d.collection || '/' || d.path)), ?) OR EXISTS "
    "(SELECT 1 FROM ark.tags t WHERE t.document = d.number AND contains(lower(t.tag), ?)))"
)


def page(lease: Lease, listing: Listing, start: int, count: int, around: str = "") -> Page[Document]:
    """`count` documents from a row on, or the page that the document with the id `around` is on."""
    where, values = _where(listing)
    total = lease.count(f"SELECT count(*) FROM ark.documents d WHERE {where}", *values)
    order = f"{PINNED} DESC, {ORDER[listing.order]}"
    row = _row(lease, where, values, order, around) if around else None
    if row is not None:
        start = row // count * count
    numbers = lease.numbers(
        f"SELECT d.number FROM ark.documents d WHERE {where} ORDER BY {order} LIMIT ? OFFSET ?",
        *values,
        count,
        start,
    )
    found = documents.documents(lease, numbers) if numbers else {}
    return Page(tuple(found[number] for number in numbers), total, start, row)


def findable(lease: Lease) -> list[Findable]:
    """Everything that has a name: documents, those in the trash, and files that brought none; by title."""
    rows = lease.rows(
        f"""SELECT d.id, d.title, d.collection || '/' || d.path, if(d.gone IS NULL, '', 'trash')
            FROM ark.documents d WHERE d.layer <> 1 AND (d.gone IS NULL OR {TRASHED})
            UNION ALL
            SELECT folder || '/' || path, '', folder || '/' || path, state FROM ark.files
            WHERE state <> 'indexed'
            ORDER BY 4, 2, 3"""
    )
    return [Findable(*row) for row in rows]


def _where(listing: Listing) -> tuple[str, list[Any]]:
    living = TRASHED if listing.trashed else "d.gone IS NULL"
    seen, viewer = owners.visible("d")
    conditions, values = [living, "d.layer <> 1", seen], [*viewer]
    for condition, value in (("d.collection = ?", listing.collection), ("d.tier = ?", listing.tier)):
        if value:
            conditions.append(condition)
            values.append(value)
    if listing.pinned:
        conditions.append(PINNED)
    for tag in listing.tags:
        conditions.append(TAGGED)
        values.append(f"{composed(tag)}/")  # or below it
    for word in composed(listing.words).casefold().split():
        conditions.append(WORD)
        values += [word, word.removeprefix("#")]
    return " AND ".join(conditions), values


def _row(lease: Lease, where: str, values: list[Any], order: str, id_: str) -> int | None:
    return lease.number(
        f"""SELECT place - 1 FROM (SELECT d.id, row_number() OVER (ORDER BY {order}) AS place
            FROM ark.documents d WHERE {where}) WHERE id = ?""",
        *values,
        id_,
    )
