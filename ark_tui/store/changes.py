"""The change log: what the followers read, and how everything that alters a chunk tells them.

Hits are shown from the word index while that is as new as the log, so whatever a hit shows of a chunk or of
its document is logged when it changes. What is not, and who looks after it: how a file was when it was last
read, and what a superseded document was superseded by, see `retrieval.shown`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal, NamedTuple

from ark_tui.domain.documents import LiveChunk, context
from ark_tui.domain.memory import WORKING
from ark_tui.store import before
from ark_tui.store.lease import Lease, among, of_many

EPOCH_DAY = date(1970, 1, 1)
EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001  (as the store has moments: in UTC, without saying so)
MINUTE = timedelta(minutes=1)

LOG_COLUMNS = {"chunk": "BIGINT", "number": "BIGINT", "gone": "BOOLEAN"}

Stream = Literal["documents", "messages"]


class _Log(NamedTuple):
    table: str
    counter: str


LOGS: dict[Stream, _Log] = {
    "documents": _Log("changes", "change"),
    "messages": _Log("message_changes", "message"),
}
"""Messages have a log and an index of their own: nothing else pays for a million of them."""

ALIAS = 2  # rank, among the names of a document, of those that it gives itself besides its title


@dataclass(frozen=True, slots=True)
class Identity:
    """Which store this is: a follower built on another one, or before a restore, starts over."""

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
    """Give each chunk a new change number. The log keeps one row per chunk, its latest."""
    numbers = list(dict.fromkeys(chunks))
    if not numbers:
        return
    table, counter = LOGS[stream]
    first = lease.take(counter, len(numbers))
    lease.delete(table, "chunk", numbers)
    lease.insert(table, LOG_COLUMNS, [(chunk, first + i, gone) for i, chunk in enumerate(numbers)])


def arrived(lease: Lease, chunks: range, first: int, stream: Stream) -> None:
    """Log chunks that there have never been, from a change number on: the log is not looked through."""
    numbers = range(first, first + len(chunks))
    lease.fill(LOGS[stream].table, LOG_COLUMNS, {"chunk": chunks, "number": numbers, "gone": False})


def touch(lease: Lease, documents: Sequence[int]) -> None:
    """Log every chunk of these documents: something that the indexes keep about them has changed."""
    rows = lease.rows(
        "SELECT c.number, d.layer FROM ark.chunks c JOIN ark.documents d ON d.number = c.document "
        "WHERE c.document IN (SELECT unnest(?::BIGINT[])) ORDER BY c.number",
        list(documents),
    )
    log(lease, (int(number) for number, layer in rows if layer != WORKING))
    log(lease, (int(number) for number, layer in rows if layer == WORKING), stream="messages")


def behind(lease: Lease, mark: int, stream: Stream = "documents") -> int:
    """How many chunks a follower at this mark has still to take up."""
    return lease.count(f"SELECT count(*) FROM ark.{LOGS[stream].table} WHERE number > ?", mark)


def since(lease: Lease, mark: int, limit: int, stream: Stream = "documents") -> list[LiveChunk]:
    """The next changes after a mark, in order, each with the chunk as it is now."""
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


def live(lease: Lease, changes: dict[int, int]) -> dict[int, LiveChunk]:
    """Chunks with all that an index keeps of them, by number. `changes` maps chunk to change number."""
    mine, *values = of_many("c.number", changes)
    rows = lease.rows(
        f"""SELECT c.number, c.document, c.ordinal, c.start_char, c.end_char, c.heading, c.text_hash,
                  d.id, d.collection, d.path, d.title, d.titled, d.tier, d.type, d.date, d.date_source,
                  d.source, d.place, s.document IS NOT NULL, d.layer, d.since, d.item, d.status, c.start_line,
                  c.end_line, k.root, coalesce(f.size, -1), coalesce(f.mtime_ns, -1)
           FROM ark.chunks c JOIN ark.documents d ON d.number = c.document
           LEFT JOIN ark.superseded s ON s.document = c.document
           LEFT JOIN ark.collections k ON k.name = d.folder
           LEFT JOIN ark.files f ON f.folder = d.folder AND f.path = d.path
           WHERE {mine}""",
        *values,
    )
    documents = list({int(row[1]) for row in rows})
    mine, *values = of_many("number", documents)
    bodies: dict[int, str] = dict(lease.rows(f"SELECT number, body FROM ark.documents WHERE {mine}", *values))
    tags = tags_of(lease, documents)
    wanted = [int(row[0]) for row in rows if row[19] != WORKING]  # messages are looked for as they are
    leading = before.texts(lease, wanted)
    aliases = aliases_of(lease, documents)
    return {
        int(number): LiveChunk(
            number=number, change=changes[number], gone=False, document=document, document_id=id_,
            ordinal=ordinal, collection=collection, path=path, title=title, heading=heading,
            aliases="\n".join(aliases.get(document, ())),
            context=context(title if titled else "", heading), before=leading.get(number, ""),
            text=bodies[document][start:end],
            text_hash=text_hash, tier=tier, type=kind, tags=tags.get(document, ()),
            day=None if day is None else (day - EPOCH_DAY).days, dated=day_source not in ("modified", "none"),
            source=source, place=place, superseded=superseded, layer=layer, since=_minutes(moment),
            item=item, status=status,
            date_source=day_source, start_char=start, end_char=end, start_line=first_line,
            end_line=last_line, root=root, size=size, mtime_ns=mtime_ns,
        )
        for (number, document, ordinal, start, end, heading, text_hash, id_, collection, path, title, titled,
             tier, kind, day, day_source, source, place, superseded, layer, moment, item, status,
             first_line, last_line, root, size, mtime_ns) in rows
    }  # fmt: skip


def texts(lease: Lease, chunks: Sequence[int]) -> dict[int, tuple[str, str]]:
    """The hash and the text of chunks, by number."""
    return {
        int(number): (str(key), str(text))
        for number, key, text in lease.rows(
            f"""SELECT c.number, c.text_hash, substring(d.body, c.start_char + 1, c.end_char - c.start_char)
                FROM ark.chunks c JOIN ark.documents d ON d.number = c.document
                WHERE c.number {among(chunks)}"""
        )
    }


def aliases_of(lease: Lease, numbers: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """The other names that documents give themselves, sorted, by document number."""
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
    """Whole minutes from 1970 to a moment of the store's, rounded up: retention never ends too early."""
    return -((EPOCH - moment) // MINUTE)


def _minutes(moment: datetime | None) -> int | None:
    return None if moment is None else minutes(moment)
