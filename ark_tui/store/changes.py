"""The change log: how indexes and other followers learn which chunks have changed.

Results are shown from the word index if it is up to date with the log, so every change to a chunk or document
that a result shows is logged. Exceptions, handled by `retrieval.shown`: the state of a file when it was last
read, and the successor of a superseded document.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any, Literal, NamedTuple

from ark_tui.domain.documents import LiveChunk, context
from ark_tui.domain.layers import WORKING
from ark_tui.store import before
from ark_tui.store.lease import Lease, Row, among, of_many

EPOCH_DAY = date(1970, 1, 1)
EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001  (as the store has moments: in UTC, without saying so)
MINUTE = timedelta(minutes=1)
NO_FILE = (-1, -1)  # size and time of a document without a file

Stream = Literal["documents", "messages"]


class _Log(NamedTuple):
    table: str
    counter: str


LOGS: dict[Stream, _Log] = {
    "documents": _Log("changes", "change"),
    "messages": _Log("message_changes", "message"),
}
"""Messages have a separate log and index, so that their number does not slow down the others."""

OF_MESSAGE = (
    "c.id, m.query, m.role, m.sequence, m.moment, c.agent, c.session, m.name, m.tool_call_id, m.given"
)
"""The columns of a message besides its document."""

ALIAS = 2  # the rank of a document's aliases among its names


@dataclass(frozen=True, slots=True)
class Identity:
    """The identity of a store. A follower of another store, or from before a restore, starts over."""

    store: str
    epoch: str


def identity(lease: Lease) -> Identity:
    """The store's id and epoch."""
    found = {str(key): str(value) for key, value in lease.rows("SELECT key, value FROM ark.meta")}
    return Identity(found["store"], found["epoch"])


def latest(lease: Lease, stream: Stream = "documents") -> int:
    """The number of the latest change."""
    return lease.count("SELECT value FROM ark.counters WHERE name = ?", LOGS[stream].counter)


def log(lease: Lease, chunks: Iterable[int], *, gone: bool = False, stream: Stream = "documents") -> None:
    """Give each chunk a new change number. The log has one row per chunk, for its latest change."""
    numbers = list(dict.fromkeys(chunks))
    if not numbers:
        return
    table, counter = LOGS[stream]
    first = lease.take(counter, len(numbers))
    lease.delete(table, "chunk", numbers)
    lease.insert(table, [(chunk, first + i, gone) for i, chunk in enumerate(numbers)])


def arrived(lease: Lease, chunks: range, first: int, stream: Stream) -> None:
    """Log new chunks from a change number on, without looking for earlier rows."""
    lease.insert(LOGS[stream].table, [(one, first + i, False) for i, one in enumerate(chunks)])


def touch(lease: Lease, documents: Sequence[int]) -> None:
    """Log every chunk of these documents, because an indexed property of them has changed."""
    rows = lease.rows(
        "SELECT c.number, d.layer FROM ark.chunks c JOIN ark.documents d ON d.number = c.document "
        "WHERE c.document IN (SELECT unnest(?::BIGINT[])) ORDER BY c.number",
        list(documents),
    )
    log(lease, (int(number) for number, layer in rows if layer != WORKING))
    log(lease, (int(number) for number, layer in rows if layer == WORKING), stream="messages")


def behind(lease: Lease, mark: int, stream: Stream = "documents") -> int:
    """The number of changes after a follower's mark."""
    return lease.count(f"SELECT count(*) FROM ark.{LOGS[stream].table} WHERE number > ?", mark)


def chunks_since(lease: Lease, mark: int) -> list[int]:
    """The chunks that have changed since a mark, including removed ones."""
    return lease.numbers("SELECT chunk FROM ark.changes WHERE number > ?", mark)


def since(lease: Lease, mark: int, limit: int, stream: Stream = "documents") -> list[LiveChunk]:
    """The next changes after a mark, in order, each with the current chunk."""
    logged = lease.rows(
        f"SELECT chunk, number, gone FROM ark.{LOGS[stream].table} WHERE number > ? ORDER BY number LIMIT ?",
        mark,
        limit,
    )
    alive = live(lease, {int(chunk): int(number) for chunk, number, gone in logged if not gone})
    return [
        alive.get(int(chunk)) or LiveChunk(number=int(chunk), change=int(number), gone=True)
        for chunk, number, gone in logged
    ]


def live(lease: Lease, changes: Mapping[int, int]) -> dict[int, LiveChunk]:
    """Chunks with everything that an index stores, by number. `changes` maps chunk to change number.

    Every statement gives its range of numbers, so that DuckDB skips the rest of a table and the cost of a
    batch does not grow with the corpus.
    """
    if not changes:
        return {}
    mine, *values = of_many("number", changes)
    rows = lease.rows(
        f"""SELECT number, document, ordinal, start_char, end_char, heading, text_hash, start_line, end_line,
                  CASE kind WHEN 'text' THEN language ELSE '' END
            FROM ark.chunks WHERE {mine}""",
        *values,
    )
    owners = _owners(lease, list({int(row[1]) for row in rows}))
    rows = [row for row in rows if row[1] in owners]
    leading = _leading(lease, rows, owners)
    found: dict[int, LiveChunk] = {}
    for number, document, ordinal, start, end, heading, text_hash, first, last, language in rows:
        owner = owners[document]
        found[number] = replace(
            owner, number=number, change=changes[number], ordinal=ordinal, heading=heading,
            context=context(owner.context, heading), before=leading.get(number, ""),
            text=owner.text[start:end], language=language, text_hash=text_hash,
            start_char=start, end_char=end, start_line=first, end_line=last,
            said=owner.said if (start, end) == (0, len(owner.text)) else (),
        )  # fmt: skip
    return found


def _owners(lease: Lease, documents: Sequence[int]) -> dict[int, LiveChunk]:
    """The document's part of chunks, by document number; `text` is the whole body, `context` the title."""
    mine, *values = of_many("d.number", documents)
    rows = lease.rows(
        f"""SELECT d.number, d.id, d.collection, d.folder, d.path, d.title, d.titled, d.tier, d.type, d.date,
                  d.date_source, d.source, d.place, s.document IS NOT NULL, d.layer, d.since, d.item,
                  d.status, k.root, d.body
           FROM ark.documents d
           LEFT JOIN ark.superseded s ON s.document = d.number
           LEFT JOIN ark.collections k ON k.name = d.folder
           WHERE {mine}""",
        *values,
    )
    seen = _seen(lease, {str(row[4]) for row in rows})
    tags = tags_of(lease, documents)
    aliases = aliases_of(lease, documents)
    said = _said(lease, [int(row[0]) for row in rows if row[14] == WORKING])
    return {
        int(document): LiveChunk(
            number=0, change=0, gone=False, document=document, document_id=id_, collection=collection,
            path=path, title=title, aliases="\n".join(aliases.get(document, ())),
            context=title if titled else "", text=body, tier=tier, type=kind, tags=tags.get(document, ()),
            day=None if day is None else (day - EPOCH_DAY).days, dated=day_source not in ("modified", "none"),
            source=source, place=place, superseded=superseded, layer=layer,
            since=None if moment is None else minutes(moment),
            item=item, status=status, date_source=day_source, root=root,
            size=seen.get((folder, path), NO_FILE)[0], mtime_ns=seen.get((folder, path), NO_FILE)[1],
            said=said.get(document, ()),
        )
        for (document, id_, collection, folder, path, title, titled, tier, kind, day, day_source, source,
             place, superseded, layer, moment, item, status, root, body) in rows
    }  # fmt: skip


def _said(lease: Lease, documents: Sequence[int]) -> dict[int, tuple[Any, ...]]:
    """The columns of messages, by document number."""
    if not documents:
        return {}
    mine, *values = of_many("m.document", documents)
    rows = lease.rows(
        f"SELECT m.document, {OF_MESSAGE} FROM ark.messages m "
        f"JOIN ark.conversations c ON c.number = m.conversation WHERE {mine}",
        *values,
    )
    return {int(row[0]): row[1:] for row in rows}


def _seen(lease: Lease, paths: Collection[str]) -> dict[tuple[str, str], tuple[int, int]]:
    """Size and modification time of the files at these paths, by folder and path."""
    return {
        (folder, path): (size, mtime_ns)
        for folder, path, size, mtime_ns in lease.rows(
            """SELECT folder, path, size, mtime_ns FROM ark.files
               WHERE path IN (SELECT unnest(?::VARCHAR[])) AND path BETWEEN ? AND ?""",
            list(paths),
            min(paths, default=""),
            max(paths, default=""),
        )
    }


def _leading(lease: Lease, rows: Sequence[Row], owners: Mapping[int, LiveChunk]) -> dict[int, str]:
    """The end of the text before each chunk, by number; not for messages."""
    rows = [row for row in rows if owners[row[1]].layer != WORKING]
    spans = {row[1:3]: row[3:5] for row in rows}
    above = {(row[1], row[2] - 1) for row in rows if row[2]}
    if missing := list({document for document, ordinal in above - spans.keys()}):
        mine, *values = of_many("document", missing)
        spans |= {
            (document, ordinal): (start, end)
            for document, ordinal, start, end in lease.rows(
                f"SELECT document, ordinal, start_char, end_char FROM ark.chunks WHERE {mine}", *values
            )
        }
    found = {
        row[0]: before.ending(owners[row[1]].text[slice(*spans[row[1], row[2] - 1])])
        for row in rows
        if (row[1], row[2] - 1) in spans
    }
    places = {
        row[0]: before.Place(owner.collection, owner.source, owner.place)
        for row in rows
        if row[2] == 0 and (owner := owners[row[1]]).source and owner.place is not None
    }
    return found | before.in_source(lease, places)


def texts(lease: Lease, chunks: Sequence[int]) -> dict[int, tuple[str, str]]:
    """Hash and text of chunks, by number."""
    if not chunks:
        return {}
    documents = lease.numbers(f"SELECT DISTINCT document FROM ark.chunks WHERE number {among(chunks)}")
    return {
        int(number): (str(key), str(text))
        for number, key, text in lease.rows(
            f"""SELECT c.number, c.text_hash, substring(d.body, c.start_char + 1, c.end_char - c.start_char)
                FROM ark.chunks c JOIN ark.documents d ON d.number = c.document
                WHERE c.number {among(chunks)} AND d.number {among(documents)}"""
        )  # with both conditions; otherwise the bodies of all documents are read
    }


def aliases_of(lease: Lease, numbers: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """The aliases of documents, sorted, by document number."""
    given: dict[int, tuple[str, ...]] = {}
    mine, *values = of_many("document", numbers)
    for document, name in lease.rows(
        f"SELECT document, name FROM ark.names WHERE rank = {ALIAS} AND {mine} ORDER BY name", *values
    ):
        given[int(document)] = (*given.get(int(document), ()), str(name))
    return given


def tags_of(lease: Lease, documents: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """The tags of documents, sorted, by document number."""
    found: dict[int, list[str]] = {}
    mine, *values = of_many("document", documents)
    for number, tag in lease.rows(
        f"SELECT DISTINCT document, tag FROM ark.tags WHERE {mine} ORDER BY tag", *values
    ):
        found.setdefault(int(number), []).append(str(tag))
    return {number: tuple(tags) for number, tags in found.items()}


def minutes(moment: datetime) -> int:
    """Whole minutes since 1970 (UTC), rounded up, so that retention never ends too early."""
    return -((EPOCH - moment) // MINUTE)
