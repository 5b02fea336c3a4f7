"""Status of a home, health checks, and repairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from ark_tui.domain.errors import ArkError, Hint
from ark_tui.domain.library import Moved, Overview, Upkeep
from ark_tui.domain.protocols import NEVER, Stop, check
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
from ark_tui.engine import copies, erasing, showing
from ark_tui.engine.services import Services
from ark_tui.engine.showing import Away, rules
from ark_tui.settings import home
from ark_tui.settings.tree import Tree, gone
from ark_tui.store import Lease, changes, documents, files, migrations
from ark_tui.store import overview as store

if TYPE_CHECKING:
    from ark_tui.index.follower import Follower

WORDS = ("words", "messages")
LOCAL = (*WORDS, "vectors")  # indexes that need no server
FILES = "SELECT folder, path, state, reason FROM ark.files"
STATES = "SELECT state, count(*) FROM ark.files GROUP BY 1"
WAITS = "waits for its vectors"
AWAY = "its folder is empty or missing; its indexed text is still searchable"
PLAIN = ("indexed", "")  # state and reason of a file indexed without remarks
WAIT = 60.0  # seconds to wait for another thread that writes the same index


def status(parts: Services, *, rows: bool = False) -> Status:
    """The state of the home; `rows` adds every file not indexed normally, with the reason."""
    states = tuple(follower.state() for follower in parts.followers())
    embedding, reached = _embedding(parts), _reached(parts)
    taken = home.by_purpose(parts.settings.home.path)
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
    collection: str = "",
    states: Sequence[FileState] = (),
    offset: int = 0,
    limit: int = 1_000,
    ignored: bool = True,
    stop: Stop = NEVER,
) -> Coverage:
    """Files of the indexed folders with their states; ignored files are found by walking the folders.

    Without `states`, list all files not indexed normally. `ignored`: include ignored files; an ignored folder
    is one row.
    """  # fmt: skip
    reached = _reached(parts)  # before the lease below, as it may take one
    with parts.store.read() as lease:
        waiting = _waiting(lease, reached)
        known = [CoverageRow(*row) for row in lease.rows(FILES) if tuple(row[:2]) not in waiting]
        roots, away = files.roots(lease), Away(lease)
    known += [CoverageRow(*place, "waiting", WAITS) for place in waiting]
    known = [_away(row) if (row.collection, row.path) in away else row for row in known]
    for name, root in roots.items() if ignored else ():
        known += _left_out(parts, name, Path(root), stop)
    known = [row for row in dict.fromkeys(known) if collection in ("", row.collection)]
    known.sort(key=lambda row: (row.collection, row.path, row.state))
    counts = {state: sum(row.state == state for row in known) for state in get_args(FileState)}
    rows = [row for row in known if row.state in states or not (states or (row.state, row.reason) == PLAIN)]
    return Coverage(counts, tuple(rows[offset : offset + limit]), len(rows))


def _left_out(parts: Services, name: str, root: Path, stop: Stop) -> Iterator[CoverageRow]:
    """Files and folders of a root that are ignored, each with the rule."""
    from ark_tui.ingest.walk import walk

    if not root.is_dir():
        return
    paths = list[str]()
    left_out = rules(parts.settings, root)
    with Tree(root) as tree:
        for _ in walk(tree, left_out, stop, paths.append):
            pass
    for path in paths:
        if path.isprintable():
            why = left_out.why(f"{path}x" if path.endswith("/") else path)
            yield CoverageRow(name, path, "ignored", why)


def _away(row: CoverageRow) -> CoverageRow:
    """Set the state of a row whose folder is missing; files that could not be read keep theirs."""
    return replace(row, state="away", reason=AWAY) if row.state in {"indexed", "waiting"} else row


def doctor(parts: Services, *, repair: bool) -> Iterator[Check]:
    """Check all parts of a home; `repair` rebuilds indexes and tightens permissions."""
    for warning in parts.settings.warnings:
        yield Check("configuration", False, warning)
    yield from erasing.checks(parts.settings.home, repair=repair)
    try:
        yield from _cut_off(parts, repair)
        with parts.store.read() as lease:
            lease.read_through()
            total, chunks = documents.totals(lease)
            yield Check(
                "store", True, f"{parts.store.path}: {counted(total, 'document')}, {counted(chunks, 'chunk')}"
            )
            yield Check("schema", True, f"{migrations.LATEST}")
            problems = copies.dangling(lease)
    except ArkError as error:
        yield Check("store", False, error.told)
        return
    yield Check(
        "relations", not problems, "; ".join(problems) or "every chunk, tag and link has its document"
    )
    asked: Call[str] = Call()
    asked.begin("model", parts.models.ask)  # in parallel, as a server may be slow to time out
    yield _erased(parts, repair)
    yield from _abandoned(parts, repair)
    yield from _roots(parts)
    parts.wait_for_indexes()
    for follower in parts.followers():
        yield _checked(follower, parts, repair)
    info = _embedding(parts)
    yield from _models(parts)
    problem = info.problem or asked.result()
    yield Check("model", not problem, problem or f"{info.provider} {info.model}, {info.dims} dimensions")


def _cut_off(parts: Services, repair: bool) -> Iterator[Check]:
    """Whether the end of the store's log is lost; `repair` accepts the loss of the last writes."""
    if parts.store.database.lost(accept=repair):
        hint = (
            "ark-tui continues without them."
            if repair
            else Hint.run("doctor", repair=True, say="Run `{}` to continue without it.")
        )
        yield Check("log", repair, "The last changes are lost from the store. " + hint, repaired=repair)


def _erased(parts: Services, repair: bool) -> Check:
    """Whether an erasure was interrupted, so permanently deleted texts are still in the files."""
    name, left = "deleted texts", erasing.due(parts).asked
    if not left:
        return Check(name, True, "none are left in the files")
    if not repair:
        return Check(name, False, f"{left} are still in the files. " + erasing.REPAIR)
    try:
        erasing.finish(parts)
    except ArkError as error:
        return Check(name, False, error.told)
    return Check(name, True, f"{left} were still in the files and are now erased", repaired=True)


def _abandoned(parts: Services, repair: bool) -> Iterator[Check]:
    """Copies of the store left by a killed backup or restore."""
    if left := copies.abandoned(parts.settings.home):
        listed = ", ".join(map(str, left))
        if repair:
            copies.clear(parts.settings.home)
        hint = "They are removed." if repair else erasing.REPAIR
        yield Check("copies", repair, f"A killed backup or restore left {listed}. " + hint, repaired=repair)


def _checked(follower: Follower, parts: Services, repair: bool) -> Check:
    name = f"index {follower.name}"
    try:
        fault = _fault(follower, parts)
        if not fault:
            later = follower.stream == "messages" and follower.state().behind
            return Check(name, True, "is updated by the next search" if later else "agrees with the store")
        if not repair:
            return Check(name, False, f"{fault} " + erasing.REPAIR)
        done = f"rebuilt from the store: {counted(_rebuild(follower), 'change')}"
        fault = _fault(follower, parts)
        return Check(name, not fault, fault or done, repaired=not fault)
    except ArkError as error:
        return Check(name, False, error.told)


def _rebuild(follower: Follower) -> int:
    """Repair an index; return the number of changes applied.

    An intact index of a served model is only updated, so searches can use it meanwhile; others are rebuilt.
    """
    waits = follower.name not in LOCAL and follower.mark().version
    if waits and follower.sound() and follower.intact(WAIT):
        return follower.sync(wait=WAIT)
    return follower.rebuild()


def _fault(follower: Follower, parts: Services) -> str:
    """A sentence about a fault of an index; empty if it matches the store."""
    with parts.store.read() as lease:
        _, chunks = documents.totals(lease, messages=follower.stream == "messages")
    if not follower.mark().version:
        late = follower.stream == "messages"  # the message index is built on its first search
        return "It is missing." if chunks and not late else ""
    if not follower.intact(WAIT):
        return "Its files are damaged."
    state = follower.state()
    if state.behind:
        asked = follower.stream == "messages"  # updated on its next search
        return "" if asked else f"It is {counted(state.behind, 'change')} behind the store."
    held = _held(follower)
    return "" if held == chunks else f"It has {counted(held, 'chunk')}, the store {chunks:,}."


def _held(follower: Follower) -> int:
    """The number of chunks in an index, opened as for a search."""
    if follower.name in WORDS:
        from ark_tui.index.words.reader import Words

        words = Words(follower.folder)
        words.refresh()
        return words.size()
    from ark_tui.index.vectors.table import VectorTable

    return VectorTable(follower.folder, 0).count("chunk > 0")


def _models(parts: Services) -> Iterator[Check]:
    """Whether the files of added models are unchanged, by checksums of all bytes."""
    shelf = choice.shelf(parts.settings)
    for name in shelf.names():
        try:
            shelf.verify(model := shelf.get(name), thorough=True)
        except ArkError as error:
            yield Check(f"model {name}", False, error.told)
        else:
            yield Check(f"model {name}", True, f"{counted(len(model.files), 'file')} unchanged")


def _roots(parts: Services) -> Iterator[Check]:
    with parts.store.read() as lease:
        roots, away = files.roots(lease), Away(lease).folders
    for name, root in roots.items():
        for folder in away.get(name, ()):
            said = f"{Path(root, folder)} is empty or missing; its documents stay searchable."
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
    """The last change contained in all vector indexes that searches use."""
    follower = parts.vectors_follower()
    mark = follower.mark().number if follower else 0
    served = parts.models.reached()
    return mark if served is None else min(mark, served)


def _waiting(lease: Lease, mark: int) -> set[tuple[str, str]]:
    """Files with a chunk whose vector is pending, as (collection, path)."""
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
    """Number of files by state. `waiting` and `away` files also count as `indexed`: they are searchable.

    `away` is only present if it is not 0.
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


TAGS = 15  # the most used ones
NEWEST = 10


def overview(parts: Services) -> Overview:
    """The status of the home, and statistics of its documents."""
    with parts.store.read() as lease:
        return Overview(
            status=status(parts, rows=True),
            tiers=store.counted(lease, "tier"),
            types=store.counted(lease, "type"),
            tags=store.tags(lease, TAGS),
            relations=store.relations(lease),
            tokens=store.tokens(lease),
            date_sources=store.counted(lease, "date_source"),
            newest=store.newest(lease, NEWEST),
        )


def upkeep(parts: Services, stop: Stop = NEVER) -> Upkeep:
    """Broken links, duplicate texts, and files changed since they were indexed.

    Files of missing folders are left out.
    """
    pairs = parts.repeats()
    with parts.store.read() as lease:
        broken = sorted(store.broken(lease), key=lambda one: (one.document.collection, one.document.path))
        repeats = sorted(
            store.repeats(lease, pairs),
            key=lambda one: (-one.chunks, one.document.collection, one.document.path, one.first.path),
        )
        away = showing.Away(lease)
        files = [one for one in store.indexed(lease) if (one[0], one[2]) not in away]
    return Upkeep(tuple(broken), tuple(repeats), tuple(_moved(files, stop)))


def _moved(files: list[tuple[str, str, str, int, int]], stop: Stop) -> Iterator[Moved]:
    for root, inside in groupby(files, key=itemgetter(1)):
        with Tree(root) as tree:
            for collection, _, path, size, saved in inside:
                check(stop)
                try:
                    now = tree.stat(path)
                except OSError as error:
                    if gone(error):
                        yield Moved(collection, path, "gone")
                    continue
                if (now.st_size, now.st_mtime_ns) != (size, saved):
                    yield Moved(collection, path, "changed")
