"""The text before a chunk: context for pronouns and answers.

This is the end of the previous chunk of the document, or of the previous document in its source (the previous
turn of a conversation, the previous page of a book). It is read when an index takes up the chunk, and stored
nowhere else. So a change of a text logs the chunk that follows it, too (`after`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from ark_tui.store.lease import among

if TYPE_CHECKING:
    from ark_tui.store.lease import Lease

SENTENCES = 2  # more of them say less about what follows
LONGEST = 400  # characters

_PAUSE = re.compile(r"[.!?…][\"'”’)\]]*\s+|[。！？\n]")


class Place(NamedTuple):
    """The position of a document in its source."""

    collection: str
    source: str
    place: int | None


def ending(text: str) -> str:
    """The last sentences or lines of a text; the end of very long ones."""
    text = text.rstrip()
    far = text[-LONGEST:]
    if len(far) < len(text):
        far = far.partition(" ")[2] or far
    ends = [match.end() for match in _PAUSE.finditer(far)]
    start, end, sentences = 0, len(far), 0
    while ends and sentences < SENTENCES:
        start = ends.pop()
        sentences += bool(far[start:end].strip())
        end = start
    return far[start if sentences == SENTENCES else 0 :].strip()


def in_source(lease: Lease, places: dict[int, Place]) -> dict[int, str]:
    """The endings of the documents before these places in their sources, by the same keys."""
    before = _beside(lease, places, "<")
    ends = _ends(lease, before.values()) if before else {}
    return {key: ends[document] for key, document in before.items() if document in ends}


def after(lease: Lease, places: Iterable[Place]) -> list[int]:
    """The first chunks of the documents that follow these places in their sources."""
    wanted = [fromkey for fromkey in dict.fromkeys(places) if fromkey.source and fromkey.place is not None]
    following = set(_beside(lease, dict(enumerate(wanted)), ">").values())
    if not following:
        return []
    return lease.numbers(
        f"SELECT number FROM ark.chunks WHERE ordinal = 0 AND document {among(following)} ORDER BY number"
    )


def places(lease: Lease, documents: Sequence[int]) -> list[Place]:
    """The places of documents, including removed ones; documents without a place in a source are left out."""
    rows = lease.rows(
        "SELECT collection, source, place FROM ark.documents "
        f"WHERE number {among(documents)} AND source <> '' AND place IS NOT NULL"
    )
    return [Place(*row) for row in rows]


def _beside(lease: Lease, wanted: dict[int, Place], sign: Literal["<", ">"]) -> dict[int, int]:
    """The existing document just before (`<`) or after (`>`) each place in its source."""
    if not wanted:
        return {}
    columns = [list(wanted), *([*column] for column in zip(*wanted.values(), strict=True))]
    rows = lease.rows(
        f"""SELECT w.key, d.number
            FROM (SELECT unnest(?::BIGINT[]) AS key, unnest(?::VARCHAR[]) AS collection,
                         unnest(?::VARCHAR[]) AS source, unnest(?::BIGINT[]) AS place) w
            ASOF JOIN (SELECT number, collection, source, place FROM ark.documents
                       WHERE gone IS NULL AND place IS NOT NULL
                         AND source IN (SELECT unnest(?::VARCHAR[]))) d
              ON d.collection = w.collection AND d.source = w.source AND d.place {sign} w.place""",
        *columns,
        list({place.source for place in wanted.values()}),
    )
    return {int(key): int(number) for key, number in rows}


def _ends(lease: Lease, documents: Iterable[int]) -> dict[int, str]:
    """The endings of documents, by number."""
    rows = lease.rows(
        f"""SELECT d.number, substring(d.body, c.start_char + 1, c.end_char - c.start_char)
            FROM ark.documents d JOIN ark.chunks c ON c.document = d.number
            WHERE d.number {among(documents)}
            QUALIFY row_number() OVER (PARTITION BY d.number ORDER BY c.ordinal DESC) = 1"""
    )
    return {int(number): ending(str(text)) for number, text in rows}
