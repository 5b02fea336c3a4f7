"""Memories other than messages: documents of the collection `memory`, with owner and age."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from ark_tui.domain.documents import ChunkDraft, Draft, LinkDraft
from ark_tui.domain.layers import MEMORY, RETIRED, WORKING
from ark_tui.domain.memory import Item, Move, Scope
from ark_tui.store import candidates, changes, documents, erasure, files, links, owners
from ark_tui.store.documents import Arrival
from ark_tui.store.files import FileRecord
from ark_tui.store.lease import Lease


def put(lease: Lease, draft: Draft, digest: str, tags: Sequence[str] = ()) -> int:
    """Store an item under its path, replacing an existing one; returns its number."""
    if not lease.value("SELECT 1 FROM ark.collections WHERE name = ?", MEMORY):
        lease.run("INSERT INTO ark.collections VALUES (?, NULL, NULL)", MEMORY)
    record = FileRecord(MEMORY, draft.path, 0, 0, 0, 0, digest, "indexed")
    documents.put(lease, [Arrival(record, (draft,), None, tuple(tags))])
    return documents.at(lease, MEMORY, draft.path)


def hash_at(lease: Lease, path: str) -> str | None:
    """The content hash of the item at a path."""
    found = lease.value(
        "SELECT hash FROM ark.documents WHERE folder = ? AND path = ? AND gone IS NULL", MEMORY, path
    )
    return None if found is None else str(found)


def get(lease: Lease, numbers: Sequence[int], retention: Mapping[int, timedelta]) -> list[Item]:
    """Items by number, in that order."""
    known = documents.documents(lease, numbers)
    rows = {
        int(row[0]): row[1:]
        for row in lease.rows(
            "SELECT number, body, agent, session, owner, project, since, added, changed FROM ark.documents "
            "WHERE gone IS NULL AND number IN (SELECT unnest(?::BIGINT[]))",
            list(numbers),
        )
    }
    found = []
    for number in numbers:
        if number in rows:
            body, agent, session, owner, project, since, added, changed = rows[number]
            kept = retention.get(known[number].layer)
            until = since + kept if since and kept is not None else None
            found.append(
                Item(
                    known[number], body, Scope(agent, session), _aware(since), _aware(until),
                    added.replace(tzinfo=UTC), changed.replace(tzinfo=UTC), owner, project,
                )
            )  # fmt: skip
    return found


def source(lease: Lease, number: int) -> str:
    """The source that an item states."""
    return str(lease.value("SELECT source_id FROM ark.documents WHERE number = ?", number) or "")


def own_links(lease: Lease, number: int) -> list[LinkDraft]:
    """The links that were given with an item, in addition to those in its text."""
    return [
        LinkDraft(relation, target, line, origin, anchor)
        for relation, target, line, origin, anchor in lease.rows(
            "SELECT relation, target, line, origin, anchor FROM ark.links "
            "WHERE document = ? AND origin = 'front matter' ORDER BY rowid",
            number,
        )
    ]


def numbers(
    lease: Lease,
    scope: Scope,
    *,
    layers: Collection[int] = (),
    tiers: Collection[str] = (),
    retired: bool = False,
) -> list[int]:
    """The items of a scope, oldest first; retired ones on request."""
    (own, whose), (seen, viewer) = owners.in_scope(scope), owners.visible()
    return lease.numbers(
            f"""SELECT number FROM ark.documents
               WHERE {seen} AND folder = ? AND gone IS NULL AND layer <> ? AND (? OR status <> ?)
                 AND {own}
                 AND (len(?::TINYINT[]) = 0 OR layer IN (SELECT unnest(?::TINYINT[])))
                 AND (len(?::VARCHAR[]) = 0 OR tier IN (SELECT unnest(?::VARCHAR[])))
               ORDER BY number""",
            *viewer, MEMORY, WORKING, retired, RETIRED,
            *(*whose, list(layers), list(layers), list(tiers), list(tiers)),
        )  # fmt: skip


def unindex(lease: Lease, number: int, status: str) -> None:
    """Remove a document from retrieval: it keeps its text and loses its chunks."""
    documents.unindex(lease, [number])
    lease.run("UPDATE ark.documents SET status = ? WHERE number = ?", status, number)


def reindex(
    lease: Lease, number: int, status: str, chunks: Sequence[ChunkDraft], hashes: Sequence[str]
) -> None:
    """Restore the chunks of a document, and thereby its place in retrieval."""
    known = {ordinal: chunk for _, ordinal, chunk in documents.former_chunks(lease, [number])}
    lease.delete("former_chunks", "document", [number])
    fresh = [i for i in range(len(chunks)) if i not in known]
    first = lease.take("chunk", len(fresh)) if fresh else 0
    known |= {ordinal: first + i for i, ordinal in enumerate(fresh)}
    rows = [
        (known[i], number, i, c.start_char, c.end_char, c.start_line, c.end_line, c.tokens, c.heading,
         c.kind, c.language, key)
        for i, (c, key) in enumerate(zip(chunks, hashes, strict=True))
    ]  # fmt: skip
    lease.insert("chunks", rows)
    changes.log(lease, [row[0] for row in rows])
    lease.run("UPDATE ark.documents SET status = ? WHERE number = ?", status, number)


def place(lease: Lease, number: int, layer: int) -> None:
    """Change the layer of an item; its retention starts again."""
    moment = lease.moment
    lease.run("UPDATE ark.documents SET layer = ?, since = ? WHERE number = ?", layer, moment, number)
    changes.touch(lease, [number])


def moved(lease: Lease, number: int, axis: str, was: str, became: str, reason: str, agent: str) -> None:
    """Record the reason for a change of tier, layer or status."""
    lease.insert("moves", [(number, axis, was, became, reason, agent, lease.moment)])


def moves(lease: Lease, number: int) -> list[Move]:
    """The recorded changes of a document, oldest first."""
    return [
        Move(axis, was, became, reason, agent, moment.replace(tzinfo=UTC))
        for axis, was, became, reason, agent, moment in lease.rows(
            "SELECT axis, was, became, reason, agent, moment FROM ark.moves "
            "WHERE document = ? ORDER BY rowid",
            number,
        )
    ]


def forget(lease: Lease, gone: Sequence[int]) -> None:
    """Permanently delete items with all rows about them."""
    wanted = list(gone)
    paths = [
        str(row[0])
        for row in lease.rows(
            "SELECT path FROM ark.documents WHERE number IN (SELECT unnest(?::BIGINT[]))", wanted
        )
    ]
    chunks = lease.numbers(
        "SELECT number FROM ark.chunks WHERE document IN (SELECT unnest(?::BIGINT[]))", wanted
    )
    changes.log(lease, chunks, gone=True)
    names = links.leave(lease, wanted)
    erasure.note(lease, "documents", len(wanted))
    candidates.forget_items(lease, [one.id for one in documents.documents(lease, wanted).values()])
    erasure.forget(lease, wanted)
    links.forget(lease, wanted)
    for table in ("chunks", *documents.BELONGINGS, "patterns", "directives"):
        lease.delete(table, "document", wanted)
    lease.delete("documents", "number", wanted)
    files.forget(lease, MEMORY, paths)
    links.settle(lease, [], names)


def _aware(moment: datetime | None) -> datetime | None:
    return moment.replace(tzinfo=UTC) if moment else None
