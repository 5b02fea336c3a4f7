"""From a folder to the store: scan, find changes, read changed files, commit in batches.

Reading, chunking and hashing happen outside any lease; a batch is one transaction. If the run is interrupted
(Ctrl-C, a kill, a full disk), earlier batches are stored and the next run processes the rest.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias, TypeGuard

from ark_tui.domain.documents import Draft, content_hash
from ark_tui.domain.errors import UsageError
from ark_tui.domain.protocols import OnProgress, Stop, check
from ark_tui.domain.wording import absent_root
from ark_tui.domain.work import IndexReport, Problem, Progress
from ark_tui.ingest import taking, workers
from ark_tui.ingest.ignore import Ignore
from ark_tui.ingest.moves import Folder, Moves, Place
from ark_tui.ingest.readers import met
from ark_tui.ingest.reading import Reading, load, remarks
from ark_tui.ingest.taking import Rules, Taken, Task
from ark_tui.ingest.walk import CHANGED, Entry, walk
from ark_tui.settings.tree import Tree, away, identity, within
from ark_tui.store import documents, files
from ark_tui.store.documents import Arrival
from ark_tui.store.files import FileRecord

if TYPE_CHECKING:
    from ark_tui.store import Lease, Store

BATCH_FILES = 400
DOCUMENTS = 1000  # of one file that are committed in one transaction
FILE_BYTES = 20 << 10  # size counted as one file; larger files count as several
BATCH_SECONDS = 1.0  # so that the first documents are searchable soon


class Before(NamedTuple):
    """State of a folder in the store before the scan."""

    known: dict[str, FileRecord]  # records of the last scan, by path
    roots: dict[str, str]  # folders of all collections, by collection
    cut: str  # chunking settings of the last complete read
    noted: dict[str, str]  # notes of all roots (`files.noted`)

    @classmethod
    def read(cls, lease: Lease, collection: str) -> Before:
        roots, noted = files.roots(lease), files.noted(lease)
        return cls(files.known(lease, collection), roots, noted.get(f"cut {roots[collection]}", ""), noted)

    @property
    def documents(self) -> int:
        """Number of files with documents."""
        return sum(record.state == "indexed" for record in self.known.values())


@dataclass(frozen=True, slots=True)
class Root:
    """A folder to index, and its collection."""

    path: Path
    collection: str
    before: Before
    ignore: Ignore
    tags: tuple[str, ...] = ()


class Follows(Protocol):
    """Consumer of stored documents (such as the indexer) that runs while more files are read."""

    def poke(self) -> object:
        """Signal that a batch was committed."""


Elsewhere: TypeAlias = Callable[[Root, Sequence[Task]], Iterator[Iterable[Taken]]]
"""Reads files of a folder outside this process; yields groups of results, each one transaction."""


@dataclass(slots=True)
class _Tally:
    """Counts and problems of the files so far."""

    fates: dict[str, int] = field(default_factory=dict)
    removed: int = 0
    problems: list[Problem] = field(default_factory=list)

    def add(self, fate: str) -> None:
        self.fates[fate] = self.fates.get(fate, 0) + 1


@dataclass(slots=True)
class _Batch:
    """Files that were read and are not yet committed."""

    arrivals: list[Arrival] = field(default_factory=list)
    records: list[FileRecord] = field(default_factory=list)  # of files without documents
    dropped: list[str] = field(default_factory=list)  # unusable files, whose documents are removed
    size: int = 0
    since: float = field(default_factory=time.monotonic)

    def full(self, files: int) -> bool:
        return (
            len(self.arrivals) + len(self.records) + self.size // FILE_BYTES >= files
            or time.monotonic() - self.since >= BATCH_SECONDS
        )


def index_roots(
    store: Store,
    roots: Iterable[Root],
    reading: Reading,
    *,
    stop: Stop,
    progress: OnProgress,
    follows: Follows,
    dry_run: bool = False,
    elsewhere: Elsewhere | None = None,
) -> list[IndexReport]:
    """Index folders; `follows` is notified after each batch.

    `elsewhere` reads the files outside this process, if given. Documents of missing files are removed after
    all folders are read: a file may have moved to a later folder.
    """
    runs: list[_Run] = []
    taken: set[Place] = set()
    try:
        for root in roots:
            run = _Run(store, root, reading, stop, progress, follows, dry_run, taken, elsewhere)
            with run.tree:
                run.read()
            runs.append(run)
    finally:
        reports = [run.finished() for run in runs]
    return reports


@dataclass
class _Run:
    """One scan of one root."""

    store: Store
    root: Root
    reading: Reading
    stop: Stop
    progress: OnProgress
    follows: Follows
    dry_run: bool
    taken: set[Place]  # places whose document was moved
    elsewhere: Elsewhere | None = None

    def __post_init__(self) -> None:
        self.tree = Tree(self.root.path)
        self._tally = _Tally()
        self._batch = _Batch()
        self._pace = Pace(BATCH_FILES)
        self._known, self._roots, cut, self._noted = self.root.before
        self._places = files.places(self._noted, str(self.root.path))
        self._recut = cut != self.reading.cut  # read all files, unchanged ones included
        self._identity = identity(self.root.path)
        self._away = False  # the folder is empty and not the one of the last scan
        self._seen: set[str] = set()
        self._touched: dict[str, Entry] = {}  # files of this scan that are to be read
        self._closed: list[str] = []  # folders that could not be listed: their files do not count as missing
        self._unmounted: list[str] = []  # absent mount points, likewise

    def read(self) -> None:
        """Scan the folder and store new and changed files."""
        todo = self._scan()
        there = self._identity == self._places[""]
        self._away = not self._seen and not there
        if not self.dry_run:
            self._note_mounts()
        if self.elsewhere:
            for group in self.elsewhere(self.root, [self._task(entry) for entry in todo]):
                for taken in group:
                    self._took(taken)
                self._commit()
        else:
            self._read_here(todo)
        self._commit()
        self.progress(Progress("read", len(todo), len(todo)))

    def _read_here(self, todo: Sequence[Entry]) -> None:
        size = sum(entry.size for entry in todo)
        with workers.opened(self.tree, self.reading, size) as take:
            for i, taken in enumerate(take(map(self._task, todo))):
                check(self.stop)
                self.progress(Progress("read", i, len(todo), taken.entry.path))
                self._took(taken)
                if self._batch.full(self._pace.size):
                    self._commit()

    def finished(self) -> IndexReport:
        """Remove documents of missing files; return the report."""
        if self._away and (documents := self.root.before.documents):
            return IndexReport((self.root.collection,), notices=(absent_root(self.root.path, documents),))
        self._finish()
        fates = self._tally.fates
        return IndexReport(
            collections=(self.root.collection,),
            **{
                name: fates.get(name, 0)
                for name in ("added", "changed", "renamed", "unchanged", "skipped", "failed")
            },
            removed=self._tally.removed,
            problems=tuple(self._tally.problems),
            notices=tuple(self._absences()),
        )

    def _absences(self) -> Iterator[str]:
        """Notices about absent mount points, with the number of documents of each."""
        read = [path for path, record in self._known.items() if record.state == "indexed"]
        for folder in self._unmounted:
            if documents := sum(within(path, (folder,)) for path in read):
                yield absent_root(self.root.path / folder, documents)

    def _scan(self) -> list[Entry]:
        """List the folder: count unchanged files, return the others."""
        todo = []
        for found in walk(self.tree, self.root.ignore, self.stop):
            if isinstance(found, Problem):
                self._note(found)
                continue
            self._seen.add(found.path)
            record = self._known.get(found.path)
            if record and _same(record, found) and not self._again(record):
                self._tally.add("unchanged" if record.state == "indexed" else record.state)
            else:
                todo.append(found)
            if len(self._seen) % 1000 == 0:
                self.progress(Progress("scan", len(self._seen)))
        self._touched = {entry.path: entry for entry in todo}
        self._find_unmounted()
        new = [entry for entry in todo if entry.path not in self._known]
        here = Folder(self.root.collection, self._roots, self._noted, new, self._is_there, self._left)
        self._moves = Moves(self.store, here, self.taken)
        # New files first: one of them may have the old content of a path that was overwritten.
        return sorted(todo, key=lambda entry: entry.path in self._known)

    def _find_unmounted(self) -> None:
        """Find mount points that are now absent, unless they are mounted elsewhere or ignored."""
        mounted = self.tree.mounts.values()
        self._unmounted = [
            path
            for path in away(self.root.path, self._places)
            if path and self._places[path] not in mounted and not self._is_left_out(path)
            and any(within(known, (path,)) for known in self._known)
        ]  # fmt: skip
        self._closed += self._unmounted

    def _is_left_out(self, folder: str) -> bool:
        above = [str(one) for one in PurePosixPath(folder).parents][:-1]
        return any(self.root.ignore.folder(one) for one in (*above, folder))

    def _note_mounts(self) -> None:
        """Store the mount points before any of their documents.

        Otherwise an interrupted run would leave documents whose mount point is not recorded.
        """
        kept = {path: place for path, place in self._places.items() if path and within(path, self._unmounted)}
        mounts = kept | self.tree.mounts
        if not self._away and {"": self._places[""], **mounts} != self._places:
            with self.store.write() as lease:
                files.note(lease, str(self.root.path), "mounts", json.dumps(mounts))

    def _note(self, problem: Problem) -> None:
        """Record a problem of the walk for the coverage; a path that failed counts as closed."""
        self._seen.add(problem.path)
        if problem.state == "failed":
            self._closed.append("" if problem.path == "." else problem.path)
        self._tally.problems.append(problem)
        self._tally.add(problem.state)
        self._batch.records.append(
            FileRecord(self.root.collection, problem.path, -1, 0, 0, 0, "", problem.state, problem.reason)
        )

    def _task(self, entry: Entry) -> Task:
        """The task for a file: with the known hash, unless the file must be read again."""
        record = self._known.get(entry.path)
        settled = record and (record.state == "indexed" or record.reason == files.PURGED)
        same = record.hash if record and settled and not self._again(record) else ""
        ignore, path = self.root.ignore, entry.path
        return Task(entry, time.time_ns(), same, Rules(ignore.keeps(path), ignore.submodule(path)))

    def _took(self, taken: Taken) -> None:
        """Add the result of a file to the batch."""
        entry, scanned, digest, size, drafts = taken
        record = self._known.get(entry.path)
        if drafts is None and record is None:  # its document was moved while a worker read it
            drafts = Problem(entry.path, CHANGED, "failed")
        if drafts is None:
            assert record is not None
            same = _record(self.root.collection, entry, scanned, digest, record.reason)
            self._batch.records.append(same._replace(state=record.state))
            self._tally.add("unchanged" if record.state == "indexed" else record.state)
        elif isinstance(drafts, Problem):
            self._refuse(entry, drafts, scanned, digest)
        else:
            self._accept(entry, drafts, scanned, digest, size)

    def _accept(self, entry: Entry, drafts: Sequence[Draft], scanned: int, digest: str, size: int) -> None:
        record = self._known.get(entry.path)
        notices = remarks(drafts)
        moved_from = None if record else self._moves.origin(entry, digest, drafts)
        if moved_from and moved_from[0] == self.root.collection:
            self._known.pop(moved_from[1], None)  # a file there now counts as new
        arrival = Arrival(
            _record(self.root.collection, entry, scanned, digest, notices),
            tuple(drafts),
            moved_from,
            self.root.tags,
        )
        while len(arrival.drafts) > DOCUMENTS and not moved_from:
            part, rest = arrival.drafts[:DOCUMENTS], arrival.drafts[DOCUMENTS:]
            self._batch.arrivals.append(replace(arrival, drafts=part, more=True))
            self._commit()
            arrival = replace(arrival, drafts=rest, stored=arrival.stored | {d.item for d in part})
        self._batch.arrivals.append(arrival)
        self._batch.size += size
        again = self._again(record) and record.hash == digest and record.state == "indexed"
        self._tally.add(
            "renamed" if moved_from else "unchanged" if again else "changed" if record else "added"
        )
        if notices:
            self._tally.problems.append(Problem(entry.path, notices, "indexed"))

    def _again(self, record: FileRecord | None) -> TypeGuard[FileRecord]:
        """Whether to read a file again even if unchanged: new rules, or a missing package was installed."""
        if record is None or record.state == "failed" or record.reason == files.PURGED:
            return False
        if self._recut or not record.reason:
            return self._recut
        if taking.is_reason(record.reason):
            return self.root.ignore.keeps(record.path)
        return met(PurePosixPath(record.path).suffix.lower(), record.reason)

    def _refuse(self, entry: Entry, problem: Problem, scanned: int, digest: str) -> None:
        """Record a file without documents. After a read failure, its earlier documents are kept."""
        record = _record(self.root.collection, entry, scanned, digest, problem.reason)
        record = record._replace(state=problem.state)
        if problem.state == "failed":
            record = record._replace(scanned_ns=0)  # read it again next time
        else:
            self._batch.dropped.append(entry.path)
        self._batch.records.append(record)
        self._tally.problems.append(problem)
        self._tally.add(problem.state)

    def _left(self) -> Iterator[tuple[str, int]]:
        """Paths and inodes of indexed files that are missing."""
        for path, record in self._known.items():
            if record.state == "indexed" and path not in self._seen and not self._is_closed(path):
                yield path, record.inode

    def _is_there(self, path: str, digest: str) -> bool:
        """Whether a path that had this content still has it."""
        if path in self._touched:
            data = load(self.tree, self._touched[path], self.reading.max_bytes)
            return isinstance(data, Problem) or content_hash(data) == digest
        return path in self._seen or self._is_closed(path)

    def _is_closed(self, path: str) -> bool:
        return within(path, self._closed)

    def _commit(self) -> None:
        batch, self._batch = self._batch, _Batch()
        if self.dry_run or not (batch.arrivals or batch.records):
            return
        with self.store.write() as lease:
            began = time.monotonic()
            self._check_followed(lease)
            documents.put(lease, batch.arrivals)
            documents.remove(lease, self.root.collection, batch.dropped)
            files.put(lease, batch.records)
        self._pace.took(time.monotonic() - began)
        self.follows.poke()

    def _finish(self) -> None:
        """Remove documents of missing files and mark the scan as complete."""
        gone = [
            path
            for path in self._known
            if path not in self._seen
            and (self.root.collection, path) not in self.taken
            and not self._is_closed(path)
        ]
        self._tally.removed = sum(self._known[path].state == "indexed" for path in gone)
        if self.dry_run:
            return
        with self.store.write() as lease:
            self._check_followed(lease)
            documents.remove(lease, self.root.collection, gone)
            files.scanned(lease, self.root.collection)
            if self._recut:
                files.note(lease, str(self.root.path), "cut", self.reading.cut)
            if self._seen and self._identity != self._places[""]:
                files.note(lease, str(self.root.path), "place", self._identity)
        if gone:
            self.follows.poke()

    def _check_followed(self, lease: Lease) -> None:
        """Raise `UsageError` if the collection was removed or renamed during the run.

        Documents without a collection could never be removed.
        """
        name = self.root.collection
        if files.following(lease, str(self.root.path)) != name:
            raise UsageError(
                f"The collection {name} was removed or renamed while its folder was being read.",
                f"Index {self.root.path} again to follow it.",
            )


def _same(record: FileRecord, entry: Entry) -> bool:
    """Whether a file is unchanged: same mark, and not modified too shortly before the scan."""
    before = entry._replace(size=record.size, mtime_ns=record.mtime_ns, inode=record.inode)
    return before.mark == entry.mark and entry.settled(record.scanned_ns)


def _record(folder: str, entry: Entry, scanned: int, digest: str, reason: str) -> FileRecord:
    return FileRecord(
        folder, entry.path, entry.size, entry.mtime_ns, entry.inode, scanned, digest, "indexed", reason
    )


AIM = 0.25  # target duration of one lease, in seconds
SPAN = 8  # ratio of largest to smallest piece: each lease has a fixed cost


class Pace:
    """Adaptive batch size, from the duration of earlier batches."""

    def __init__(self, most: int) -> None:
        self._least, self._most = max(1, most // SPAN), most
        self.size = self._least

    def took(self, seconds: float) -> None:
        """Adjust the size to the duration of a batch; it at most doubles."""
        wanted = round(self.size * min(2.0, AIM / max(seconds, 0.001)))
        self.size = max(self._least, min(wanted, self._most))
