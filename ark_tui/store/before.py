"""What stands before a chunk: whom a pronoun means, what was asked that it answers.

That is the end of the chunk before it in its document, or of the document before it in its source (the
turn before in a conversation, the page before in a book). It is looked up when an index takes the chunk up,
and kept nowhere else: whoever changes a text has what follows it taken up again (`after`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from ark_tui.store.lease import among

if TYPE_CHECKING:
    from ark_tui.store.lease import Lease

SENTENCES = 2  # more than that says less about what follows
LONGEST = 400  # characters

_PAUSE = re.compile(r"[.!?…][\"'”’)\]]*\s+|[。！？\n]")


class Place(NamedTuple):
    """Where a document stands in what it is a part of."""

    collection: str
    source: str
    place: int | None


def ending(text: str) -> str:
    """The last sentences of a text, or lines; of very long ones their end."""
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


def texts(lease: Lease, chunks: Sequence[int]) -> dict[int, str]:
    """What stands before chunks, by number; those before which nothing stands are left out."""
    within = lease.rows(
        """SELECT c.number, substring(d.body, p.start_char + 1, p.end_char - p.start_char)
           FROM ark.chunks c JOIN ark.chunks p ON p.document = c.document AND p.ordinal = c.ordinal - 1
           JOIN ark.documents d ON d.number = c.document
           WHERE c.number IN (SELECT unnest(?::BIGINT[]))""",
        list(chunks),
    )
    firsts = lease.rows(
        """SELECT c.number, d.collection, d.source, d.place
           FROM ark.chunks c JOIN ark.documents d ON d.number = c.document
           WHERE c.number IN (SELECT unnest(?::BIGINT[]))
             AND c.ordinal = 0 AND d.source <> '' AND d.place IS NOT NULL""",
        list(chunks),
    )
    found = {int(number): ending(str(text)) for number, text in within}
    found |= in_source(lease, {int(number): Place(*place) for number, *place in firsts})
    return {number: text for number, text in found.items() if text}


def in_source(lease: Lease, places: dict[int, Place]) -> dict[int, str]:
    """How the documents end that come before these places in their sources, by the same keys."""
    before = _beside(lease, places, "<")
    ends = _ends(lease, before.values()) if before else {}
    return {key: ends[document] for key, document in before.items() if document in ends}


def after(lease: Lease, places: Iterable[Place]) -> list[int]:
    """The first chunks of the documents that come next after these places in their sources."""
    wanted = [fromkey for fromkey in dict.fromkeys(places) if fromkey.source and fromkey.place is not None]
    following = set(_beside(lease, dict(enumerate(wanted)), ">").values())
    if not following:
        return []
    return lease.numbers(
        f"SELECT number FROM ark.chunks WHERE ordinal = 0 AND document {among(following)} ORDER BY number"
    )


def places(lease: Lease, documents: Sequence[int]) -> list[Place]:
    """Where documents stand, or stood before they went; those that are no part of anything are left out."""
    rows = lease.rows(
        "SELECT collection, source, place FROM ark.documents "
        f"WHERE number {among(documents)} AND source <> '' AND place IS NOT NULL"
    )
    return [Place(*row) for row in rows]


def _beside(lease: Lease, wanted: dict[int, Place], sign: Literal["<", ">"]) -> dict[int, int]:
    """The living document next before (`<`) or after (`>`) each place in its source."""
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
    """How documents end, by number."""
    rows = lease.rows(
        f"""SELECT d.number, substring(d.body, c.start_char + 1, c.end_char - c.start_char)
            FROM ark.documents d JOIN ark.chunks c ON c.document = d.number
            WHERE d.number {among(documents)}
            QUALIFY row_number() OVER (PARTITION BY d.number ORDER BY c.ordinal DESC) = 1"""
    )
    return {int(number): ending(str(text)) for number, text in rows}
