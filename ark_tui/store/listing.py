"""Lists of documents, page by page: only one page is read from the store."""

from __future__ import annotations

from datetime import UTC
from typing import Any

from ark_tui.domain.curation import YES
from ark_tui.domain.documents import Document
from ark_tui.domain.errors import NotFound
from ark_tui.domain.library import Findable, Listing, Order, Page, Talk
from ark_tui.domain.memory import Conversation, Scope
from ark_tui.domain.unicode import composed
from ark_tui.store import documents, owners
from ark_tui.store.conversations import OF_CONVERSATION, conversation
from ark_tui.store.lease import Lease, among

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
    """`count` documents from a row on, or the page with the document whose id is `around`."""
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
    """Everything with a name, by title: documents, those in the trash, and files without documents."""
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
        values.append(f"{composed(tag)}/")  # or a tag below it
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


def talks(lease: Lease, scope: Scope, limit: int, offset: int) -> list[Talk]:
    """The conversations of a scope, last changed first."""
    own, whose = owners.in_scope(scope)
    rows = lease.rows(
        f"""SELECT {OF_CONVERSATION}, coalesce(m.count, 0),
                   coalesce(m.latest, c.created) AS latest, m.first
            FROM ark.conversations c
            LEFT JOIN (SELECT conversation, count(*) AS count, max(moment) AS latest, min(document) AS first
                       FROM ark.messages GROUP BY 1) m ON m.conversation = c.number
            WHERE {own} ORDER BY latest DESC, c.number DESC LIMIT ? OFFSET ?""",
        *whose, limit, offset,
    )  # fmt: skip
    firsts = among(row[-1] for row in rows if row[-1] is not None)
    beginnings: dict[int, str] = dict(
        lease.rows(f"SELECT number, title FROM ark.documents WHERE number {firsts}")
    )
    return [
        Talk(conversation(of, size), latest.replace(tzinfo=UTC), of[5] or beginnings.get(first, ""))
        for *of, size, latest, first in rows
    ]


def row_of_talk(lease: Lease, scope: Scope, number: int) -> int | None:
    """The row of a conversation in the list of a scope; None if it is not in it."""
    own, whose = owners.in_scope(scope)
    return lease.number(
        f"""WITH known AS (
                SELECT c.number, coalesce(m.latest, c.created) AS latest FROM ark.conversations c
                LEFT JOIN (SELECT conversation, max(moment) AS latest FROM ark.messages GROUP BY 1) m
                ON m.conversation = c.number WHERE {own}),
              listed AS (
                SELECT number, row_number() OVER (ORDER BY latest DESC, number DESC) - 1 AS row FROM known)
            SELECT row FROM listed WHERE number = ?""",
        *whose,
        number,
    )


def talks_in_all(lease: Lease, scope: Scope) -> int:
    """The number of conversations in a scope."""
    own, whose = owners.in_scope(scope)
    return lease.count(f"SELECT count(*) FROM ark.conversations WHERE {own}", *whose)


def place(lease: Lease, message: str) -> tuple[Conversation, int]:
    """The conversation of a message, and the number of messages before it. Raises `NotFound`."""
    row = lease.row(
        f"""SELECT {OF_CONVERSATION}, m.document
           FROM ark.documents d JOIN ark.messages m ON m.document = d.number
           JOIN ark.conversations c ON c.number = m.conversation WHERE d.id = ?""",
        message,
    )
    if row is None:
        raise NotFound("The message no longer exists.", "Search for it again.")
    *of, document = row
    counts = lease.row(
        "SELECT count(*), count(*) FILTER (document < ?) FROM ark.messages WHERE conversation = ?",
        int(document), int(of[0]),
    )  # fmt: skip
    assert counts
    return conversation(of, counts[0]), int(counts[1])
