"""The state of a home, what is wrong with it, and mending what can be mended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from ark_tui.domain import plugins
from ark_tui.domain.errors import ArkError, Hint
from ark_tui.domain.protocols import Stop
from ark_tui.domain.wording import counted
from ark_tui.domain.work import (
    Check,
    Coverage,
    CoverageRow,
    EmbeddingInfo,
    FileState,
    Status,
)
from ark_tui.embedding import choice
from ark_tui.embedding.waiting import Call
from ark_tui.engine import erasing, homefiles, temporary
from ark_tui.engine.roots import Away, rules
from ark_tui.settings import space
from ark_tui.settings.tree import Tree
from ark_tui.store import Lease, changes, documents, files, migrations

if TYPE_CHECKING:
    from ark_tui.engine.services import Services
    from ark_tui.index.follower import Follower

WORDS = ("words", "messages")
LOCAL = (*WORDS, "vectors")  # indexes that need no server
FILES = "SELECT folder, path, state, reason FROM ark.files"
STATES = "SELECT state, count(*) FROM ark.files GROUP BY 1"
WAITS = "waits for its vectors"
AWAY = "its folder is empty or not there; it is searchable as it was read"
PLAIN = ("indexed", "")  # state and reason of a file of which there is nothing to say
WAIT = 60.0  # seconds for another process that is writing the same index

# Integrity is ours, DuckDB's foreign keys refuse honest updates under ATTACH: each query counts what dangles.
RELATIONS = {
    "chunks without a document": "chunks c WHERE NOT EXISTS (SELECT 1 FROM ark.documents d "
    "WHERE d.number = c.document AND d.gone IS NULL)",
    "chunks that were never logged": "chunks c WHERE NOT EXISTS (SELECT 1 FROM ark.changes l "
    "WHERE l.chunk = c.number AND NOT l.gone) AND NOT EXISTS (SELECT 1 FROM ark.message_changes l "
    "WHERE l.chunk = c.number AND NOT l.gone)",
    "changes of messages that do not exist": "message_changes l WHERE NOT l.gone AND NOT EXISTS "
    "(SELECT 1 FROM ark.chunks c WHERE c.number = l.chunk)",
    "messages without a document": "messages m WHERE NOT EXISTS (SELECT 1 FROM ark.documents d "
    "WHERE d.number = m.document AND d.gone IS NULL AND d.layer = 1)",
    "documents of layer 1 that are no message": "documents d WHERE d.layer = 1 AND NOT EXISTS "
    "(SELECT 1 FROM ark.messages m WHERE m.document = d.number)",
    "messages without a conversation": "messages m WHERE NOT EXISTS (SELECT 1 FROM ark.conversations c "
    "WHERE c.number = m.conversation)",
    "places in a conversation given twice": "(SELECT conversation FROM ark.messages "
    "GROUP BY conversation, sequence HAVING count(*) > 1)",
    "messages beyond the end of their conversation": "messages m WHERE EXISTS (SELECT 1 FROM "
    "ark.conversations c WHERE c.number = m.conversation AND m.sequence > c.last)",
    "conversations named twice": "(SELECT id FROM ark.conversations GROUP BY agent, session, id "
    "HAVING count(*) > 1)",
    "notes of the scratchpad kept twice": "(SELECT key FROM ark.scratch "
    "GROUP BY agent, session, key, version HAVING count(*) > 1)",
    "tasks numbered twice": "(SELECT id FROM ark.tasks GROUP BY agent, session, id HAVING count(*) > 1)",
    "uses of documents that never were": "accesses a WHERE NOT EXISTS (SELECT 1 FROM ark.documents d "
    "WHERE d.number = a.document)",
    "moves of documents that never were": "moves v WHERE NOT EXISTS (SELECT 1 FROM ark.documents d "
    "WHERE d.number = v.document)",
    "changes of chunks that do not exist": "changes l WHERE NOT l.gone AND NOT EXISTS "
    "(SELECT 1 FROM ark.chunks c WHERE c.number = l.chunk)",
    "tags without a document": "tags t WHERE NOT EXISTS (SELECT 1 FROM ark.documents d "
    "WHERE d.number = t.document)",
    "links without a document": "links l WHERE NOT EXISTS (SELECT 1 FROM ark.documents d "
    "WHERE d.number = l.document)",
    "links to documents that never were": "links l WHERE l.resolved IS NOT NULL AND NOT EXISTS "
    "(SELECT 1 FROM ark.documents d WHERE d.number = l.resolved)",
    "names without a document": "names n WHERE NOT EXISTS (SELECT 1 FROM ark.documents d "
    "WHERE d.number = n.document AND d.gone IS NULL)",
    "documents without a name": "documents d WHERE d.gone IS NULL AND NOT EXISTS "
    "(SELECT 1 FROM ark.names n WHERE n.document = d.number) AND d.layer <> 1",
    "superseded documents without a successor": "superseded s WHERE NOT EXISTS (SELECT 1 FROM "
    "ark.documents d WHERE d.number = s.document AND d.gone IS NULL) OR NOT EXISTS (SELECT 1 FROM "
    "ark.documents d WHERE d.number = s.successor AND d.gone IS NULL)",
    "answers without a search": "answers a WHERE NOT EXISTS "
    "(SELECT 1 FROM ark.searches s WHERE s.id = a.search)",
    "metadata without a document": "metadata m WHERE NOT EXISTS "
    "(SELECT 1 FROM ark.documents d WHERE d.number = m.document)",
    "searches kept twice": "(SELECT id FROM ark.searches GROUP BY id HAVING count(*) > 1)",
    "patterns without a document": "patterns p WHERE NOT EXISTS (SELECT 1 FROM ark.documents d "
    "WHERE d.number = p.document AND d.type = 'pattern')",
    "documents of type pattern without a pattern": "documents d WHERE d.folder = 'memory' "
    "AND d.type = 'pattern' AND NOT EXISTS (SELECT 1 FROM ark.patterns p WHERE p.document = d.number)",
    "patterns kept twice": "(SELECT document FROM ark.patterns GROUP BY document HAVING count(*) > 1)",
    "confidences out of bounds": "patterns p WHERE NOT p.confidence BETWEEN 0 AND 1",
    "directives without a document": "directives r WHERE NOT EXISTS (SELECT 1 FROM ark.documents d "
    "WHERE d.number = r.document AND d.type = 'directive')",
    "documents of type directive without a rule": "documents d WHERE d.folder = 'memory' "
    "AND d.type = 'directive' AND NOT EXISTS (SELECT 1 FROM ark.directives r WHERE r.document = d.number)",
    "directives kept twice": "(SELECT document FROM ark.directives GROUP BY document HAVING count(*) > 1)",
    "memories of a context that was not kept": "recalled r WHERE NOT EXISTS "
    "(SELECT 1 FROM ark.contexts c WHERE c.id = r.context)",
    "uses of a retrieval that was not kept": "applications a WHERE NOT EXISTS "
    "(SELECT 1 FROM ark.contexts c WHERE c.id = a.retrieval) AND NOT EXISTS "
    "(SELECT 1 FROM ark.searches s WHERE s.id = a.retrieval)",
    "events numbered twice": "(SELECT number FROM ark.events GROUP BY number HAVING count(*) > 1)",
    "indexed files without a document": "files f WHERE f.state = 'indexed' AND NOT EXISTS (SELECT 1 FROM "
    "ark.documents d WHERE d.folder = f.folder AND d.path = f.path AND (d.gone IS NULL OR d.number IN "
    "(SELECT document FROM ark.said WHERE aspect = 'trash')))",
    "words said of documents that never were": "said s WHERE s.document <> 0 AND NOT EXISTS "
    "(SELECT 1 FROM ark.documents d WHERE d.number = s.document)",
    "words said twice": "(SELECT document FROM ark.said GROUP BY document, aspect, key HAVING count(*) > 1)",
    "documents in the trash that are alive": "said s WHERE s.aspect = 'trash' AND EXISTS "
    "(SELECT 1 FROM ark.documents d WHERE d.number = s.document AND d.gone IS NULL)",
    "chunks aside of documents that are not in the trash": "trashed_chunks c WHERE NOT EXISTS "
    "(SELECT 1 FROM ark.said s WHERE s.aspect = 'trash' AND s.document = c.document)",
    "links aside of documents that are not in the trash": "trashed_links c WHERE NOT EXISTS "
    "(SELECT 1 FROM ark.said s WHERE s.aspect = 'trash' AND s.document = c.document)",
    "names aside of documents that are not in the trash": "trashed_names c WHERE NOT EXISTS "
    "(SELECT 1 FROM ark.said s WHERE s.aspect = 'trash' AND s.document = c.document)",
    "strokes without an edit": "strokes s WHERE NOT EXISTS "
    "(SELECT 1 FROM ark.edits e WHERE e.number = s.edit)",
    "edits numbered twice": "(SELECT number FROM ark.edits GROUP BY number HAVING count(*) > 1)",
    "documents of an unknown collection": "documents d WHERE d.gone IS NULL AND NOT EXISTS "
    "(SELECT 1 FROM ark.collections k WHERE k.name = d.folder)",
    "ids given twice": "(SELECT id FROM ark.documents GROUP BY id HAVING count(*) > 1)",
    "chunk numbers given twice": "(SELECT number FROM ark.chunks GROUP BY number HAVING count(*) > 1)",
}


def status(parts: Services, *, rows: bool) -> Status:
    """The state of the home; `rows` adds every file that is not plainly indexed, with the reason."""
    states = tuple(follower.state() for follower in parts.followers())
    embedding, reached = _embedding(parts), _reached(parts)
    taken = space.by_purpose(parts.settings.home.path)
    with parts.store.read() as lease:
        total, chunks = documents.totals(lease)
        waiting = _waiting(lease, reached)
        away = Away(lease)
        coverage = _coverage(lease, waiting, away)
        return Status(
            documents=total,
            chunks=chunks,
            collections=tuple(
                replace(one, missing=(one.name, "") in away) for one in files.collections(lease)
            ),
            coverage=coverage,
            followers=states,
            embedding=embedding,
            store_path=str(parts.store.path),
            schema=migrations.LATEST,
            bytes=sum(one.bytes for one in taken),
            change=changes.latest(lease),
            space=taken,
            rows=tuple(_rows(lease, waiting)) if rows else (),
        )


def coverage(
    parts: Services,
    *,
    collection: str,
    states: Sequence[FileState],
    offset: int,
    limit: int,
    ignored: bool,
    stop: Stop,
) -> Coverage:
    """Every file of the followed folders with its state; what rules leave out by a look at the folders.

    Without `states` all that is not plainly indexed is listed. `ignored`: with what rules leave out, where a
    folder stands for all that is in it.
    """  # fmt: skip
    reached = _reached(parts)  # which may take a lease of its own
    with parts.store.read() as lease:
        waiting = _waiting(lease, reached)
        known = [CoverageRow(*row) for row in lease.rows(FILES) if tuple(row[:2]) not in waiting]
        roots, away, noted = files.roots(lease), Away(lease), files.noted(lease)
    known += [CoverageRow(*place, "waiting", WAITS) for place in waiting]
    known = [_away(row) if (row.collection, row.path) in away else row for row in known]
    for name, root in roots.items() if ignored else ():
        known += _left_out(parts, name, Path(root), noted, stop)
    known = [row for row in dict.fromkeys(known) if collection in ("", row.collection)]
    known.sort(key=lambda row: (row.collection, row.path, row.state))
    counts = {state: sum(row.state == state for row in known) for state in get_args(FileState)}
    rows = [row for row in known if row.state in states or not (states or (row.state, row.reason) == PLAIN)]
    return Coverage(counts, tuple(rows[offset : offset + limit]), len(rows))


def _left_out(
    parts: Services, name: str, root: Path, noted: Mapping[str, str], stop: Stop
) -> Iterator[CoverageRow]:
    """What rules leave out of a root, each with the rule."""
    from ark_tui.ingest.walk import walk

    if not root.is_dir():
        return
    paths = list[str]()
    left_out = rules(parts.settings, root, noted)
    with Tree(root) as tree:
        for _ in walk(tree, left_out, stop, paths.append):
            pass
    for path in paths:
        if path.isprintable():
            why = left_out.why(f"{path}x" if path.endswith("/") else path)
            yield CoverageRow(name, path, "ignored", why)


def _plugins() -> Iterator[Check]:
    """Each plugin of other packages, and why it does not work."""
    for one in plugins.installed():
        try:
            one.load()
            yield Check(f"plugin {one.name}", True, f"{one.kind}, {one.package} {one.version}")
        except ArkError as error:
            yield Check(f"plugin {one.name}", False, error.what)


def _away(row: CoverageRow) -> CoverageRow:
    """A file whose folder is not there now; what could not be read before is no more than that."""
    return replace(row, state="away", reason=AWAY) if row.state in {"indexed", "waiting"} else row


def doctor(parts: Services, *, repair: bool) -> Iterator[Check]:
    """Look at every file; `repair` rebuilds what is derived from the store, and tightens permissions."""
    for warning in parts.settings.warnings:
        yield Check("configuration", False, warning)
    yield from _plugins()
    yield from homefiles.checks(parts.settings.home, repair=repair)
    try:
        yield from _cut_off(parts, repair)
        with parts.store.read() as lease:
            lease.read_through()
            total, chunks = documents.totals(lease)
            yield Check(
                "store", True, f"{parts.store.path}: {counted(total, 'document')}, {counted(chunks, 'chunk')}"
            )
            yield Check("schema", True, f"{migrations.LATEST}")
            problems = dangling(lease)
    except ArkError as error:
        yield Check("store", False, error.told)
        return
    yield Check(
        "relations", not problems, "; ".join(problems) or "every chunk, tag and link has its document"
    )
    asked: Call[str] = Call()
    asked.begin("model", parts.models.ask)  # a frozen server is waited for while files are read
    yield _erased(parts, repair)
    yield from _abandoned(parts, repair)
    yield from _roots(parts)
    parts.wait_for_indexes()
    for follower in parts.followers():
        yield _checked(follower, parts, repair)
    info = _embedding(parts)
    yield from _models(parts)
    asked.done.wait()
    problem = info.problem or asked.outcome()
    yield Check("model", not problem, problem or f"{info.provider} {info.model}, {info.dims} dimensions")


def _cut_off(parts: Services, repair: bool) -> Iterator[Check]:
    """Whether the store's log has lost its end; `repair` goes on without what was written last."""
    if parts.store.lost(accept=repair):
        hint = (
            "It goes on without it."
            if repair
            else Hint.run("doctor", repair=True, say="Run `{}` to go on without it.")
        )
        yield Check("log", repair, "What was written last is lost from the store. " + hint, repaired=repair)


def _erased(parts: Services, repair: bool) -> Check:
    """Whether an erasure was cut off: what was deleted for good is still in the files."""
    name, left = "deleted texts", erasing.due(parts).asked
    if not left:
        return Check(name, True, "none is left in the files")
    if not repair:
        return Check(name, False, f"{left} are still in the files. " + homefiles.REPAIR)
    try:
        erasing.finish(parts)
    except ArkError as error:
        return Check(name, False, error.told)
    return Check(name, True, f"{left} were still in the files; they are gone now", repaired=True)


def _abandoned(parts: Services, repair: bool) -> Iterator[Check]:
    """Whole copies of the store that a killed backup or restore has left."""
    if left := temporary.abandoned(parts.settings.home):
        listed = ", ".join(map(str, left))
        if repair:
            temporary.clear(parts.settings.home)
        hint = "They are removed." if repair else homefiles.REPAIR
        yield Check(
            "copies", repair, f"A killed backup or restore has left {listed}. " + hint, repaired=repair
        )


def _checked(follower: Follower, parts: Services, repair: bool) -> Check:
    name = f"index {follower.name}"
    try:
        fault = _fault(follower, parts)
        if not fault:
            later = follower.stream == "messages" and follower.state().behind
            return Check(name, True, "follows at the next search" if later else "agrees with the store")
        if not repair:
            return Check(name, False, f"{fault} " + homefiles.REPAIR)
        done = f"rebuilt from the store: {counted(_mended(follower), 'change')}"
        fault = _fault(follower, parts)
        return Check(name, not fault, fault or done, repaired=not fault)
    except ArkError as error:
        return Check(name, False, error.told)


def _mended(follower: Follower) -> int:
    """Rebuild an index; one that waits for a server and is whole goes on: what it has is served meanwhile."""
    waits = follower.name not in LOCAL and follower.mark().version
    if waits and follower.sound() and follower.intact(WAIT):
        return follower.sync(wait=WAIT)
    return follower.rebuild()


def _fault(follower: Follower, parts: Services) -> str:
    """What is wrong with an index, in a sentence; empty when it agrees with the store."""
    with parts.store.read() as lease:
        _, chunks = documents.totals(lease, messages=follower.stream == "messages")
    if not follower.mark().version:
        late = follower.stream == "messages"  # that of messages is built when it is asked
        return "It is missing." if chunks and not late else ""
    if not follower.intact(WAIT):
        return "Its files are damaged."
    state = follower.state()
    if state.behind:
        asked = follower.stream == "messages"  # follows when it is asked
        return "" if asked else f"It is {counted(state.behind, 'change')} behind the store."
    held = _held(follower)
    return "" if held == chunks else f"It holds {counted(held, 'chunk')}, the store {chunks:,}."


def _held(follower: Follower) -> int:
    """How many chunks an index has, by opening it as a search does."""
    if follower.name in WORDS:
        from ark_tui.index.words.reader import Words

        words = Words(follower.folder)
        words.refresh()
        return words.size()
    from ark_tui.index.vectors.table import VectorTable

    return VectorTable(follower.folder, 0).count("chunk > 0")


def dangling(lease: Lease) -> list[str]:
    """What does not fit together in a store, with how many rows."""
    counted = (
        (name, int(lease.value(f"SELECT count(*) FROM {_qualified(sql)}"))) for name, sql in RELATIONS.items()
    )
    return [f"{count} {name}" for name, count in counted if count]


def _qualified(sql: str) -> str:
    return sql if sql.startswith("(") else f"ark.{sql}"


def _models(parts: Services) -> Iterator[Check]:
    """Whether the files of the models that were added are those that were added, every byte."""
    shelf = choice.shelf(parts.settings)
    for name in shelf.names():
        try:
            shelf.verify(model := shelf.get(name), thorough=True)
        except ArkError as error:
            yield Check(f"model {name}", False, error.told)
        else:
            yield Check(f"model {name}", True, f"{counted(len(model.files), 'file')} as they were added")


def _roots(parts: Services) -> Iterator[Check]:
    with parts.store.read() as lease:
        roots, away = files.roots(lease), Away(lease).folders
    for name, root in roots.items():
        for folder in away.get(name, ()):
            said = f"{Path(root, folder)} is empty or not there; what was read of it stays searchable."
            yield Check(f"root {name}", False, said)
        if name not in away:
            yield Check(f"root {name}", True, root)


def _embedding(parts: Services) -> EmbeddingInfo:
    if served := parts.model_in_use():
        return EmbeddingInfo(served.provider, served.model, served.dims, served.fingerprint)
    embedder = parts.embedder
    if embedder is None:
        return EmbeddingInfo(
            "static", "", 0, "", "The embedded model is not installed; searches use words only."
        )
    return EmbeddingInfo(embedder.provider, embedder.model, embedder.dims, embedder.fingerprint)


def _reached(parts: Services) -> int:
    """The last change that all vectors have which searches are to use."""
    follower = parts.vectors_follower()
    mark = follower.mark().number if follower else 0
    served = parts.models.reached()
    return mark if served is None else min(mark, served)


def _waiting(lease: Lease, mark: int) -> set[tuple[str, str]]:
    """Files of which a chunk waits for its vector."""
    return {
        (str(folder), str(path))
        for folder, path in lease.rows(
            """SELECT DISTINCT d.folder, d.path FROM ark.changes l
               JOIN ark.chunks c ON c.number = l.chunk JOIN ark.documents d ON d.number = c.document
               WHERE l.number > ? AND NOT l.gone""",
            mark,
        )
    }


def _coverage(lease: Lease, waiting: set[tuple[str, str]], away: Away) -> dict[FileState, int]:
    """Files by their state. Those that wait for vectors are indexed, too: their words find them.

    So are those that are `away`, which are counted where there are such.
    """
    counted = {str(state): int(count) for state, count in lease.rows(STATES)}
    gone = sum(files.indexed_in(lease, *place) for place in away)
    return {
        "indexed": counted.get("indexed", 0),
        "waiting": len(waiting),
        **({"away": gone} if gone else {}),
        "skipped": counted.get("skipped", 0),
        "failed": counted.get("failed", 0),
    }


def _rows(lease: Lease, waiting: set[tuple[str, str]]) -> Iterator[CoverageRow]:
    for folder, path, state, reason in lease.rows(
        "SELECT folder, path, state, reason FROM ark.files "
        "WHERE state <> 'indexed' OR reason <> '' ORDER BY 1, 2"
    ):
        yield CoverageRow(folder, path, state, reason)
    for folder, path in sorted(waiting):
        yield CoverageRow(folder, path, "waiting", WAITS)
