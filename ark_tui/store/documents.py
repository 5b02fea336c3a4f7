"""Documents and their chunks: store, move, remove, find."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from itertools import count
from typing import Any, TypeAlias

from ark_tui.domain.documents import SHORT, Chunk, Document, Draft, document_id, text_hash
from ark_tui.domain.errors import Ambiguous, Hint, NotFound
from ark_tui.domain.layers import MEMORY
from ark_tui.domain.unicode import composed
from ark_tui.store import (
    before,
    changes,
    erasure,
    fields,
    files,
    links,
    overlay,
    overrides,
    owners,
    searches,
    trash,
)
from ark_tui.store.before import Place
from ark_tui.store.files import FileRecord
from ark_tui.store.found import Found
from ark_tui.store.lease import Lease, Row, among

RANK = re.compile(r"@(\d+)")  # a result of the last search

ABOUT = (
    "d.id, d.collection, d.path, d.title, d.type, d.tier, d.status, d.date, d.date_source, d.item, d.layer"
)

CANDIDATES = 8  # candidates listed for an ambiguous name


BELONGINGS = ("tags", "accesses", "moves", "metadata", "former_chunks")
"""Tables whose rows are deleted with their document when it is deleted permanently."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A file that was read: its record and its documents. `moved_from` is its former place.

    The documents of a large file are stored in several parts: `stored` are the items of earlier parts. While
    `more` parts follow, no document is removed, and an interrupted file is read again.
    """

    record: FileRecord
    drafts: tuple[Draft, ...]
    moved_from: tuple[str, str] | None = None  # folder, path
    tags: tuple[str, ...] = ()  # given by the user, in addition to the file's own
    stored: frozenset[str] = frozenset()
    more: bool = False


@dataclass(slots=True)
class _Old:
    number: int
    id: str
    item: str
    meta: tuple[Any, ...]
    added: datetime
    since: datetime | None = None
    user_tags: set[str] = field(default_factory=set)
    tags: set[str] = field(default_factory=set)
    chunks: dict[int, tuple[Any, ...]] = field(default_factory=dict)  # ordinal: number, values shown

    @property
    def place(self) -> Place:
        return Place(self.meta[0], *self.meta[7:9])  # the order of `_meta`


_Row: TypeAlias = tuple[Arrival, Draft, _Old]


def put(lease: Lease, arrivals: Sequence[Arrival]) -> None:
    """Store files that were read, replacing their former documents.

    An unchanged chunk (text, heading, place and document) keeps its number and logs no change.
    """
    places = [arrival.moved_from or (arrival.record.folder, arrival.record.path) for arrival in arrivals]
    moved = [a for a in arrivals if a.moved_from]
    changed: set[str] = set()
    for arrival in moved:
        changed |= _make_room(lease, arrival.record.folder, arrival.record.path)
        assert arrival.moved_from
        files.forget(lease, arrival.moved_from[0], [arrival.moved_from[1]])
    olds = _existing(lease, places)
    pending: list[tuple[Arrival, Draft, _Old | None]] = []
    vanished: list[int] = []
    for arrival, place in zip(arrivals, places, strict=True):
        before = olds.get(place, {})
        pending += [(arrival, draft, before.pop(draft.item, None)) for draft in arrival.drafts]
        if not arrival.more:
            vanished += [old.number for item, old in before.items() if item not in arrival.stored]
    changed |= _retire(lease, vanished)
    rows = _numbered(lease, pending)
    known = [old.number for _, _, old in pending if old]
    changed |= _write(lease, rows, known)
    if known:
        overlay.renew(lease, known)
    links.settle(lease, [old.number for _, _, old in rows], changed)
    if known:
        overlay.trash_again(lease, known)
    files.put(lease, [a.record._replace(scanned_ns=0, hash="") if a.more else a.record for a in arrivals])


def remove(lease: Lease, folder: str, paths: Iterable[str]) -> int:
    """Remove the documents of files that no longer exist. Their ids are kept in case the files return."""
    wanted = list(paths)
    if not wanted:
        return 0
    rows = lease.rows(
        "SELECT number FROM ark.documents WHERE folder = ? AND gone IS NULL "
        "AND path IN (SELECT unnest(?::VARCHAR[]))",
        folder,
        wanted,
    )
    links.settle(lease, [], _retire(lease, [int(row[0]) for row in rows]))
    files.forget(lease, folder, wanted)
    return len(rows)


def places(lease: Lease, hash: str = "") -> dict[str, list[tuple[str, str]]]:  # noqa: A002 - as the column
    """Present and former places of files (`hash`: of one content) by hash: (folder, path), present first."""
    found: dict[str, list[tuple[str, str]]] = {}
    for hash_, folder, path, _ in lease.rows(
        "SELECT DISTINCT hash, folder, path, gone IS NOT NULL AS away FROM ark.documents "
        "WHERE layer <> 1 AND ? IN ('', hash) ORDER BY hash, away, folder, path",
        hash,
    ):
        found.setdefault(str(hash_), []).append((str(folder), str(path)))
    return found


def body(lease: Lease, number: int) -> str:
    """The full text of a document."""
    return str(lease.value("SELECT body FROM ark.documents WHERE number = ?", number) or "")


def bodies(lease: Lease, folder: str, path: str) -> list[str]:
    """The texts of all documents of a file."""
    rows = lease.rows(
        "SELECT body FROM ark.documents WHERE folder = ? AND path = ? AND gone IS NULL ORDER BY place, item",
        folder,
        path,
    )
    return [str(body) for (body,) in rows]


def language(lease: Lease, number: int) -> str:
    """The language of a document's prose: an ISO 639-1 code, "" for English."""
    return str(
        lease.value("SELECT max(language) FROM ark.chunks WHERE document = ? AND kind = 'text'", number) or ""
    )


def alive(lease: Lease, number: int) -> bool:
    """Whether the document exists and is not in the trash."""
    return bool(lease.value("SELECT gone IS NULL FROM ark.documents WHERE number = ?", number))


def at(lease: Lease, folder: str, path: str) -> int:
    """The number of the (first) document at a place, preferring one that is not in the trash."""
    return lease.count(
        "SELECT number FROM ark.documents WHERE folder = ? AND path = ? ORDER BY gone IS NOT NULL, item",
        folder,
        path,
    )


def folder(lease: Lease, number: int) -> str:
    """The collection whose root contains the document."""
    return str(lease.value("SELECT folder FROM ark.documents WHERE number = ?", number))


def resolve(lease: Lease, ref: str, where: str = "gone IS NULL") -> int:
    """The number of the document that `ref` names, among those that satisfy `where`.

    `ref` is an id, the start of one (`#3fa9c1`), a path, a file's name or its stem, or `@1` for the first
    result of the last logged search. Raises `NotFound`, and `Ambiguous` with the candidates.
    """
    ref = meant(lease, ref)
    name = composed(ref.strip().removeprefix("#").removeprefix("./"))
    path = "path" if name.isascii() else "nfc_normalize(path)"
    seen, viewer = owners.visible()
    for condition, value in (
        ("id = ?", name),
        (f"{path} = ?", name),
        (f"collection || '/' || {path} = ?", name),
        ("length(?) >= 4 AND starts_with(id, ?)", (name, name)),
        (f"ends_with({path}, ?)", f"/{name}"),
        (f"regexp_replace(regexp_replace({path}, '^.*/', ''), '\\.[^.]*$', '') = ?", name),
    ):
        values = value if isinstance(value, tuple) else (value,)
        if found := lease.rows(
            "SELECT number, id, collection, path, title FROM ark.documents "
            f"WHERE {where} AND {condition} AND {seen} "
            f"ORDER BY collection, path, item LIMIT {CANDIDATES + 1}",
            *values,
            *viewer,
        ):
            return only(ref, found)
    raise NotFound(
        f"There is no document {ref}.", Hint.run("doc list", say="Search for it, or list them: {}.")
    )


def meant(lease: Lease, ref: str) -> str:
    """Resolve `@1` to the id of that result; other references stay. Raises `NotFound`."""
    rank = RANK.fullmatch(ref.strip())
    return _hit(lease, int(rank[1])) if rank else ref


def _hit(lease: Lease, rank: int) -> str:
    """The id of a result of the last search."""
    last = [] if owners.alone() else searches.latest(lease, 1)
    if not last:
        raise NotFound("No search has been run yet.", Hint.run("search", "some words"))
    answers = {answer.rank: answer.document for answer in last[0].answers}
    if rank not in answers:
        raise NotFound(
            f"The last search, “{last[0].query}”, has no hit @{rank}.", f"It listed {len(answers)}."
        )
    return answers[rank]


def documents(lease: Lease, numbers: Sequence[int]) -> dict[int, Document]:
    """Documents by number, without their text."""
    tags, successors = changes.tags_of(lease, numbers), _successors(lease, numbers)
    marks = overrides.marks(lease, numbers)
    seen, viewer = owners.visible() if owners.alone() else ("true", [])
    rows = lease.rows(
        f"SELECT number, {ABOUT} FROM ark.documents d WHERE number {among(numbers)} AND {seen}", *viewer
    )
    return {
        number: Document(
            id_, collection, path, title, kind, tier, status, day, day_source, tags.get(number, ()), item,
            superseded_by=successors.get(number, ""), pinned="pin" in marks.get(number, ()),
            trashed="trash" in marks.get(number, ()), layer=layer,
        )
        for number, id_, collection, path, title, kind, tier, status, day, day_source, item, layer in rows
    }  # fmt: skip


def latest(lease: Lease) -> int:
    """The number of the most recently added document."""
    return lease.count("SELECT value FROM ark.counters WHERE name = 'document'")


def by_id(lease: Lease, id_: str) -> Document | None:
    """The document with exactly this id, without its text."""
    number = lease.value("SELECT number FROM ark.documents WHERE id = ? AND gone IS NULL", id_)
    return None if number is None else documents(lease, [int(number)])[int(number)]


def chunk_at(lease: Lease, document: int, ordinal: int) -> Chunk | None:
    """One chunk of a document."""
    row = lease.row(
        "SELECT d.id || ':' || c.ordinal, c.ordinal, c.start_char, c.end_char, c.start_line, c.end_line, "
        "c.heading FROM ark.chunks c JOIN ark.documents d ON d.number = c.document "
        "WHERE c.document = ? AND c.ordinal = ?",
        document,
        ordinal,
    )
    return Chunk(*row) if row else None


def chunk_number(lease: Lease, document: int, ordinal: int) -> int | None:
    """The number of a chunk; None if the document has no such chunk."""
    return lease.number("SELECT number FROM ark.chunks WHERE document = ? AND ordinal = ?", document, ordinal)


def found(lease: Lease, numbers: Sequence[int]) -> dict[int, Found]:
    """Chunks by number with the values a result shows; unknown numbers are left out."""
    alive = changes.live(lease, dict.fromkeys(numbers, 0))
    known = documents(lease, list({one.document for one in alive.values()}))
    return {
        number: Found(
            one.document, known[one.document],
            Chunk(f"{one.document_id}:{one.ordinal}", one.ordinal, one.start_char, one.end_char,
                  one.start_line, one.end_line, one.heading),
            one.text, one.root, one.size, one.mtime_ns, one.before, one.aliases, one.language,
        )
        for number, one in alive.items()
        if one.document in known
    }  # fmt: skip


def days(lease: Lease, numbers: Sequence[int]) -> dict[int, date | None]:
    """The dates of documents by number; unknown numbers are left out."""
    return dict(
        lease.rows(
            "SELECT number, date FROM ark.documents "
            "WHERE gone IS NULL AND number IN (SELECT unnest(?::BIGINT[]))",
            list(set(numbers)),
        )
    )


def totals(lease: Lease, *, messages: bool = False) -> tuple[int, int]:
    """The numbers of documents and chunks, either without messages or of messages only."""
    which = "layer = 1" if messages else "layer <> 1"
    row = lease.row(
        f"SELECT (SELECT count(*) FROM ark.documents WHERE gone IS NULL AND {which}), (SELECT count(*) "
        f"FROM ark.chunks c JOIN ark.documents d ON d.number = c.document WHERE {which})"
    )
    assert row
    return int(row[0]), int(row[1])


def chunks(lease: Lease, numbers: Sequence[int]) -> int:
    """The total number of chunks of some documents."""
    found = lease.row(
        "SELECT count(*) FROM ark.chunks WHERE document IN (SELECT unnest(?::BIGINT[]))", list(numbers)
    )
    assert found
    return int(found[0])


def _numbered(lease: Lease, pending: Sequence[tuple[Arrival, Draft, _Old | None]]) -> list[_Row]:
    """The documents to write: new ones get an id and a number."""
    fresh = [(arrival, draft) for arrival, draft, old in pending if old is None]
    ids = iter(_new_ids(lease, fresh))
    numbers = count(lease.take("document", len(fresh)) if fresh else 0)
    return [
        (arrival, draft, old or _Old(next(numbers), next(ids), draft.item, (), lease.moment))
        for arrival, draft, old in pending
    ]


def _write(lease: Lease, rows: list[_Row], rewritten: list[int]) -> set[str]:
    """Write documents, each table once; return the names that were added or removed, for `links.settle`.

    `rewritten`: the numbers of those that existed before.
    """
    known = links.known(lease, rewritten)
    if rewritten:
        _clear(lease, rewritten)
    names = _insert(lease, rows, known)
    if any(one.record.folder == MEMORY for one, _, _ in rows):
        lease.changed.add("owners")
    return {name for _, _, name in known.names ^ names}


def _clear(lease: Lease, numbers: list[int]) -> None:
    """Delete the rows of documents that are about to be rewritten."""
    erasure.note(lease, "removed", len(numbers))
    for table in ("tags", "links"):
        lease.run(
            f"DELETE FROM ark.{table} WHERE origin <> 'user' AND document IN (SELECT unnest(?::BIGINT[]))",
            numbers,
        )
    for table in ("chunks", "former_chunks", "names", "metadata"):
        lease.delete(table, "document", numbers)
    lease.delete("documents", "number", numbers)


def _insert(lease: Lease, rows: list[_Row], known: links.Known) -> set[links.Name]:
    """Insert the rows; return the names of the documents."""
    now = lease.moment
    document_rows, tag_rows, link_rows, name_rows, field_rows = [], [], [], [], []
    chunk_rows: list[list[Any]] = []
    logged: list[list[Any]] = []
    gone: list[int] = []
    stirred: list[Place] = []  # places in a source whose next document has a new predecessor
    for arrival, draft, old in rows:
        record = arrival.record
        collection = draft.collection or record.folder
        meta = _meta(collection, draft)
        document_rows.append(
            (old.number, old.id, collection, record.folder, draft.path, draft.item, draft.title,
             draft.titled, draft.type, draft.tier, draft.status, draft.format, draft.date,
             draft.date_source, draft.source, draft.place, draft.source_id, record.hash, draft.body,
             old.added, now, None, draft.layer, _since(draft, old, now), draft.agent, draft.session,
             draft.owner, draft.project)
        )  # fmt: skip
        stated = set(map(composed, draft.tags))
        given = set(map(composed, arrival.tags)) - old.user_tags
        tag_rows += [(old.number, tag, "file") for tag in sorted(stated)]
        tag_rows += [(old.number, tag, "user") for tag in sorted(given)]
        if draft.fields:
            field_rows.append((old.number, fields.written(draft.fields)))
        link_rows += [links.row(old.number, link, known) for link in draft.links]
        name_rows += links.name_rows(old.number, collection, old.id, draft)
        same = (
            meta == old.meta
            and stated | given | old.user_tags == old.tags
            and known.written.get(old.number) == links.written(draft)
            and known.aliases.get(old.number, ()) == links.aliases(draft)
        )
        followed = unchanged = True  # whether the previous chunk, and all chunks so far, are unchanged
        for ordinal, chunk in enumerate(draft.chunks):
            text = draft.body[chunk.start_char : chunk.end_char]
            key = text_hash(draft.context(chunk), text)
            was = old.chunks.pop(ordinal, None)
            row = [
                was[0] if was else None, old.number, ordinal, chunk.start_char, chunk.end_char,
                chunk.start_line, chunk.end_line, chunk.tokens, chunk.heading, chunk.kind,
                chunk.language, key,
            ]  # fmt: skip
            chunk_rows.append(row)
            shown = (key, chunk.heading, chunk.start_char, chunk.end_char, chunk.start_line,
                     chunk.end_line, chunk.language)  # fmt: skip
            here = was is not None and was[1:] == shown
            if not (same and here and followed):
                logged.append(row)
            followed, unchanged = here, unchanged and here
        gone += [was[0] for was in old.chunks.values()]
        places = [Place(collection, draft.source, draft.place), *([old.place] if old.meta else [])]
        if old.chunks or not unchanged or len(set(places)) > 1:
            stirred += places
    unnumbered = [row for row in chunk_rows if row[0] is None]
    if unnumbered:
        first = lease.take("chunk", len(unnumbered))
        for i, row in enumerate(unnumbered):
            row[0] = first + i
    lease.insert("documents", document_rows)
    lease.insert("chunks", chunk_rows)
    lease.insert("tags", tag_rows)
    lease.insert("metadata", field_rows)
    lease.insert("links", link_rows)
    lease.insert("names", name_rows)
    changes.log(lease, [*(row[0] for row in logged), *before.after(lease, stirred)])
    changes.log(lease, gone, gone=True)
    return {(row[0], row[1], row[2]) for row in name_rows}


def _meta(collection: str, draft: Draft) -> tuple[Any, ...]:
    """The fields of a document that the indexes store besides text and tags."""
    return (
        collection, draft.path, draft.title, draft.titled, draft.type, draft.tier, draft.date, draft.source,
        draft.place, draft.status, draft.date_source, draft.layer,
    )  # fmt: skip


def _since(draft: Draft, old: _Old, now: datetime) -> datetime | None:
    """When the document entered its layer: now, unless it was in that layer before."""
    if not draft.layer:
        return None
    return old.since if old.meta and old.meta[-1] == draft.layer and old.since else now


def _existing(lease: Lease, places: Sequence[tuple[str, str]]) -> dict[tuple[str, str], dict[str, _Old]]:
    rows = lease.rows(
        """SELECT d.folder, d.path, d.number, d.id, d.item, d.added,
                  d.collection, d.path, d.title, d.titled, d.type, d.tier, d.date, d.source, d.place,
                  d.status, d.date_source, d.layer, d.since
           FROM ark.documents d
           JOIN (SELECT unnest(?::VARCHAR[]) AS folder, unnest(?::VARCHAR[]) AS path) p
             ON p.folder = d.folder AND p.path = d.path""",
        [folder for folder, _ in places],
        [path for _, path in places],
    )
    by_number = {
        int(row[2]): _Old(int(row[2]), row[3], row[4], tuple(row[6:-1]), row[5], row[-1]) for row in rows
    }
    numbers = list(by_number)
    if not numbers:
        return {}
    for document, tag, origin in lease.rows(
        "SELECT document, tag, origin FROM ark.tags WHERE document IN (SELECT unnest(?::BIGINT[]))", numbers
    ):
        by_number[document].tags.add(tag)
        if origin == "user":
            by_number[document].user_tags.add(tag)
    for document, ordinal, *chunk in lease.rows(
        "SELECT document, ordinal, number, text_hash, heading, start_char, end_char, start_line, end_line, "
        "language "
        "FROM ark.chunks WHERE document IN (SELECT unnest(?::BIGINT[]))",
        numbers,
    ):
        by_number[document].chunks[ordinal] = tuple(chunk)
    for document, ordinal, number in former_chunks(lease, numbers):
        by_number[document].chunks.setdefault(ordinal, (number,))
    olds: dict[tuple[str, str], dict[str, _Old]] = {}
    for row in rows:
        olds.setdefault((row[0], row[1]), {})[row[4]] = by_number[int(row[2])]
    return olds


def _retire(lease: Lease, numbers: list[int]) -> set[str]:
    """Remove documents; return their names, for `links.settle`.

    Documents in the trash are removed from the indexes already, and keep their text.
    """
    held = trash.held(lease, numbers)
    numbers = [number for number in numbers if number not in held]
    if not numbers:
        return set()
    erasure.note(lease, "removed", len(numbers))
    unindex(lease, numbers)
    lease.delete("metadata", "document", numbers)
    names = links.leave(lease, numbers)
    lease.run(
        "UPDATE ark.documents SET gone = ?, body = '' WHERE number IN (SELECT unnest(?::BIGINT[]))",
        lease.moment,
        numbers,
    )
    changes.log(lease, before.after(lease, before.places(lease, numbers)))
    return names


def unindex(lease: Lease, numbers: Sequence[int]) -> None:
    """Remove the chunks of documents; their numbers are kept in case the text returns."""
    lease.run(
        "INSERT INTO ark.former_chunks SELECT document, ordinal, number FROM ark.chunks "
        f"WHERE document {among(numbers)}"
    )
    chunks = lease.numbers(f"SELECT number FROM ark.chunks WHERE document {among(numbers)} ORDER BY number")
    lease.delete("chunks", "document", numbers)
    changes.log(lease, chunks, gone=True)


def former_chunks(lease: Lease, numbers: Sequence[int]) -> list[Row]:
    """Document, ordinal and number of the removed chunks of documents."""
    return lease.rows(
        f"SELECT document, ordinal, number FROM ark.former_chunks WHERE document {among(numbers)}"
    )


def _make_room(lease: Lease, folder: str, path: str) -> set[str]:
    """Permanently delete the documents at a place to which a file moves."""
    trash.make_room(lease, folder, path)
    numbers = lease.numbers("SELECT number FROM ark.documents WHERE folder = ? AND path = ?", folder, path)
    names = _retire(lease, numbers)
    overrides.forget(lease, numbers)
    links.forget(lease, numbers)
    for table in BELONGINGS:
        lease.delete(table, "document", numbers)
    lease.delete("documents", "number", numbers)
    return names


def _new_ids(lease: Lease, fresh: Sequence[tuple[Arrival, Draft]]) -> list[str]:
    """Ids for new documents; an id in use (by a document that has moved away) is derived again."""
    ids = [document_id(a.record.folder, d.path, d.item) for a, d in fresh]
    attempt = 0
    while True:
        taken = {
            str(row[0])
            for row in lease.rows(
                "SELECT id FROM ark.documents WHERE id IN (SELECT unnest(?::VARCHAR[]))", ids
            )
        }
        if not taken:
            return ids
        attempt += 1
        ids = [
            document_id(a.record.folder, d.path, d.item, attempt) if id_ in taken else id_
            for id_, (a, d) in zip(ids, fresh, strict=True)
        ]


def only(ref: str, rows: Sequence[Row]) -> int:
    """The number of the only candidate for a reference. Raises `Ambiguous` if there are several."""
    if len(rows) == 1:
        return int(rows[0][0])
    names = [f"#{id_[:SHORT]} {collection}/{path}" for _, id_, collection, path, _ in rows[:CANDIDATES]]
    more = ", …" if len(rows) > CANDIDATES else ""
    raise Ambiguous(f"{ref} fits several documents.", f"Say which: {', '.join(names)}{more}")


def _successors(lease: Lease, numbers: Sequence[int]) -> dict[int, str]:
    """The successors of superseded documents: short id and title."""
    rows = lease.rows(f"SELECT document, successor FROM ark.superseded WHERE document {among(numbers)}")
    if not rows:
        return {}
    titles = {
        int(number): f"#{id_[:SHORT]} {title}"
        for number, id_, title in lease.rows(
            f"SELECT number, id, title FROM ark.documents WHERE number {among(row[1] for row in rows)}"
        )
    }
    return {int(document): titles[int(successor)] for document, successor in rows}


def remove_collection(lease: Lease, folder: str) -> int:
    """Remove a root and its documents; their ids are kept in case the root is claimed again."""
    paths = lease.rows("SELECT DISTINCT path FROM ark.documents WHERE folder = ? AND gone IS NULL", folder)
    count = remove(lease, folder, [str(path) for (path,) in paths])
    lease.run("DELETE FROM ark.files WHERE folder = ?", folder)
    lease.run("DELETE FROM ark.collections WHERE name = ?", folder)
    return count
