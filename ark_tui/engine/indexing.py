"""Indexing of folders, files and texts, with index updates while files are read."""

from __future__ import annotations

import stat
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ark_tui.curation import notes
from ark_tui.domain.documents import Document, Draft, content_hash
from ark_tui.domain.errors import ArkError, Cancelled, Hint, ModelUnavailable, NotFound, UsageError
from ark_tui.domain.protocols import NEVER, OnProgress, Stop, ignore
from ark_tui.domain.wording import absent_root
from ark_tui.domain.work import IndexReport, Problem, Run
from ark_tui.engine import erasing, showing
from ark_tui.engine.following import WAIT, WhileReading, count, follow, suppressed
from ark_tui.engine.models import remark
from ark_tui.engine.services import Services
from ark_tui.ingest import pipeline
from ark_tui.ingest.reading import load, remarks
from ark_tui.ingest.walk import Entry
from ark_tui.settings.home import is_home
from ark_tui.settings.tree import Tree, identity
from ark_tui.store import documents, files, requests
from ark_tui.store.documents import Arrival
from ark_tui.store.files import FileRecord

if TYPE_CHECKING:
    from ark_tui.domain.jobs import JobEntry
    from ark_tui.engine.cluster import Address

LITTLE = 64  # most pending changes applied along with a single text, by a served model or during a run
RECUT = "{}: read again, because this version reads or splits texts differently"


def index(
    parts: Services,
    roots: Sequence[Path],
    *,
    collection: str = "",
    tags: Sequence[str] = (),
    dry_run: bool = False,
    on: str = "",
    stop: Stop = NEVER,
    progress: OnProgress = ignore,
) -> IndexReport:
    """Index folders, by default those of the settings, and update the indexes.

    `on`: a cluster whose workers read the files, see `engine/cluster.py`.
    """
    address = None
    if on:
        from ark_tui.engine.cluster import Address

        address = Address.of(on)
    started = time.monotonic()
    wanted, away = _wanted(parts, roots, collection)
    runs = (
        {} if dry_run else {path: Run("index", str(path), name, tuple(tags), on=on) for path, name in wanted}
    )
    with ExitStack() as under_way:
        for run in runs.values():
            stop = under_way.enter_context(parts.runs.under_way(run, stop))
        report = _indexed(parts, wanted, tuple(tags), dry_run, address, stop, progress, started)
    return replace(report, notices=(*away, *report.notices))


def go_on(parts: Services, job: JobEntry, stop: Stop, progress: OnProgress) -> IndexReport:
    """Index the folder of a job; if its workers fail, retry without them."""
    assert job.folder is not None
    name = "" if job.kind == "look" else job.collection  # a look does not rename the folder's collection
    again = partial(index, parts, [job.folder], collection=name, tags=job.tags, stop=stop, progress=progress)
    try:
        return again(on=job.on)
    except Cancelled:
        raise
    except ArkError as error:
        if not job.on:
            raise
        report = again()
        return replace(
            report, notices=(f"{error.told} The files were read without workers.", *report.notices)
        )


def _indexed(
    parts: Services,
    wanted: Sequence[tuple[Path, str]],
    tags: tuple[str, ...],
    dry_run: bool,
    address: Address | None,
    stop: Stop,
    progress: OnProgress,
    started: float,
) -> IndexReport:
    said = () if dry_run else (*parts.models.prepare(stop), *_erased(parts))
    reads = parts.reader
    recut: list[str] = []

    def each() -> Iterator[pipeline.Root]:
        for path, name in wanted:
            claimed, before = _claimed(parts, path, name)
            recut.extend([str(path)] if before.known and before.cut != reads.cut else [])
            yield pipeline.Root(path, claimed, before, showing.rules(parts.settings, path), tags)

    parts.feed.close()  # its updates from here on would be missing in the report
    with _following(parts, stop, progress) as following:
        with ExitStack() as opened:
            workers = None
            if address and not dry_run:
                from ark_tui.engine.cluster import Cluster, Workers

                reached = opened.enter_context(Workers(address, stop))
                workers = Cluster(parts, reached, reads, stop, progress)
            report = _together(
                pipeline.index_roots(
                    parts.store, each(), reads, stop=stop, progress=progress, follows=following,
                    dry_run=dry_run, elsewhere=workers,
                )
            )  # fmt: skip
        following.notices += workers.notices if workers else ()
    return replace(
        report,
        embedded=count(following.followers, "embedded"),
        duplicates=count(following.followers, "duplicates"),
        notices=(
            *said,
            *map(RECUT.format, recut),
            *report.notices,
            *dict.fromkeys(following.notices),
        ),
        took_s=round(time.monotonic() - started, 3),
    )


def _erased(parts: Services) -> tuple[str, ...]:
    """Finish an interrupted erasure. Return the notices; errors are notices, too."""
    try:
        left = erasing.finish(parts).due.asked
    except ArkError as error:
        return (error.told,)
    return (f"{left} deleted texts were still in the files of the home; they are gone now",) if left else ()


def ingest_text(
    parts: Services, text: str, *, title: str, tags: Sequence[str], source: str, collection: str
) -> Document:
    """Store a text without a file; its path is the source, or derived from the content hash."""
    if not text.strip():
        raise UsageError("There is no text.", Hint.run("add", "a thought", say="Give some: {}"))
    digest = content_hash(f"{title}\n{text}".encode())
    draft = parts.reader.text(text, path=source, title=title)
    parts.models.prepare()
    with parts.store.write() as lease:

        def make() -> Document:
            path = source or notes.free(lease, collection, digest)
            record = FileRecord(collection, path, 0, 0, 0, time.time_ns(), digest, "indexed")
            files.open_collection(lease, collection)
            documents.put(lease, [Arrival(record, (replace(draft, path=path),), None, tuple(tags))])
            number = documents.at(lease, collection, path)
            return documents.documents(lease, [number])[number]

        given = [text, title, tags, source, collection]
        document = requests.once(
            lease, "ingest a text", given, make, lambda made: made.id,
            lambda id_: documents.by_id(lease, id_),
        )  # fmt: skip
    catch_up(parts)
    return document


def ingest_file(
    parts: Services, path: Path, *, tags: Sequence[str] = (), confined: bool = False
) -> IndexReport:
    """Store one file in the collection of its folder, else in `default` under its absolute path.

    `confined`: raise `UsageError` for a file outside the folders that programs may read.
    """
    started = time.monotonic()
    top, inner = readable(parts, path) if confined else (Path("/"), "")
    path = top / inner if confined else path.expanduser().absolute()
    with parts.store.read() as lease:
        roots = files.roots(lease)
    scanned = time.time_ns()
    try:
        if not path.is_file():
            raise NotFound(
                f"There is no file {path}.", Hint.run("index", say="Name a file; folders are for `{}`.")
            )
        folder, relative = place(path, roots)
        with Tree(roots.get(folder, top)) as tree:
            entry = Entry.of(tree, relative if folder in roots else inner or tree.inner(path))
            data = load(tree, entry, parts.settings.max_bytes)
    except OSError as error:
        raise ArkError(
            f"{path} cannot be read: {error.strerror or error}.", "Make it readable, or name another file."
        ) from error
    entry = entry._replace(path=relative)
    data = replace(data, path=relative) if isinstance(data, Problem) else data
    drafts: Sequence[Draft] | Problem = data if isinstance(data, Problem) else parts.reader.read(entry, data)
    if isinstance(drafts, Problem):
        failed = drafts.state == "failed"
        return IndexReport((folder,), skipped=int(not failed), failed=int(failed), problems=(drafts,))
    assert isinstance(data, bytes)
    remark = remarks(drafts)
    record = FileRecord(
        folder, relative, entry.size, entry.mtime_ns, entry.inode, scanned, content_hash(data), "indexed",
        remark,
    )  # fmt: skip
    said = parts.models.prepare()
    with parts.store.write() as lease:
        known = files.known(lease, folder).get(relative)
        documents.put(lease, [Arrival(record, tuple(drafts), None, tuple(tags))])
    followers = parts.local_followers()
    follow(followers, parts.afterwards)
    catch_up(parts)
    same = known is not None and known.hash == record.hash
    return IndexReport(
        (folder,),
        added=int(known is None),
        changed=int(known is not None and not same),
        unchanged=int(same),
        embedded=count(followers, "embedded"),
        duplicates=count(followers, "duplicates"),
        took_s=round(time.monotonic() - started, 3),
        problems=(Problem(relative, remark, "indexed"),) if remark else (),
        notices=said,
    )


def sync(parts: Services, stop: Stop, progress: OnProgress, wait: float) -> int:
    """Update every index and return the number of changes applied; skip unavailable servers."""
    local = (*parts.local_followers(), parts.messages_follower())
    done = sum(follower.sync(stop, progress, wait) for follower in local)
    for follower in parts.models.followers():
        with suppress(ModelUnavailable):
            done += follower.sync(stop, progress, wait)
    parts.models.settle()
    return done


@contextmanager
def _following(parts: Services, stop: Stop, progress: OnProgress) -> Iterator[WhileReading]:
    """Index updates during a run; at the end all indexes have caught up, those of served models last."""
    following = WhileReading(parts.local_followers(), stop)
    try:
        yield following
        following.finish(stop, progress)
        following.notices += parts.models.consider(stop)
        served = parts.models.followers()  # not in the thread, where the word index would wait for a server
        for follower in served:
            with suppressed(following.notices, follower):
                follower.sync(stop, progress, WAIT)
        following.followers += served
        following.notices += [said for follower in served if (said := remark(follower))]
        if ready := parts.models.settle():
            following.notices.append(f"embedding: searches use {ready.name} from now on")
    finally:
        following.end()


def catch_up(parts: Services, *, failed: list[str] | None = None) -> None:
    """Update the indexes after a commit: in a thread, which the next search waits for.

    A served model with many pending changes, or without its server, is left to `index`. With `failed`, wait
    for the local indexes and append the reasons of failures. During an index run, that run applies large
    backlogs.
    """
    if parts.runs.busy("index") and parts.words_follower().state().behind > LITTLE:
        return
    if failed is None:
        parts.feed.tell()
    else:
        follow(parts.local_followers(), partial(parts.afterwards, failed))
    with parts.afterwards(failed):
        parts.failures += parts.models.consider()
        for served in parts.models.followers():
            if served.state().behind <= LITTLE:
                with suppress(ModelUnavailable):  # the status shows pending vectors
                    served.sync()
        parts.models.settle()


def _wanted(
    parts: Services, roots: Sequence[Path], collection: str
) -> tuple[list[tuple[Path, str]], list[str]]:
    """The readable folders with their requested collection names, and notices about the others.

    Raises the first `ArkError` if no folder is readable and none is an indexed folder that is missing.
    """
    wanted = (
        [(path, collection) for path in roots]
        if roots
        else [(root.path, root.name) for root in parts.settings.roots]
    )
    if not wanted:
        raise UsageError(
            "There is no folder to index.",
            Hint.run("index", "~/notes", say="Name one (`{}`), or set `roots` in config.toml."),
        )
    if collection and len(wanted) > 1:
        raise UsageError("A collection follows one folder, and several were given.", "Index them one by one.")
    real: list[tuple[Path, str]] = []
    away: list[str] = []
    faults: list[ArkError] = []
    for path, name in wanted:
        try:
            real.append((_folder(path, parts.settings.home.path), name))
        except ArkError as fault:
            documents = _followed(parts, path) if isinstance(fault, NotFound) else 0
            away += [absent_root(path, documents)] if documents else []
            faults += [] if documents else [fault]
    if faults and not (real or away):
        raise faults[0]
    return real, [*away, *(fault.what for fault in faults)]


def _followed(parts: Services, path: Path) -> int:
    """The number of documents of an indexed folder that is missing."""
    with suppress(OSError, RuntimeError), parts.store.read() as lease:
        root = path.expanduser().resolve()
        if name := files.following(lease, str(root)):
            return files.living_in(lease, name)
    return 0


def _folder(path: Path, home: Path) -> Path:
    """The resolved path of a folder to index. Raises `ArkError` if it cannot be indexed."""
    try:
        absolute = path.expanduser().resolve()
        if not absolute.exists():
            raise NotFound(f"{path} does not exist.", "Name an existing folder.")
        if not absolute.is_dir():
            raise UsageError(
                f"{path} is not a folder.",
                Hint.run("ingest-file", say="Name a folder; single files are for `{}`."),
            )
    except (OSError, RuntimeError) as error:  # no home folder, a symlink loop, no permission
        raise NotFound(f"{path} cannot be reached: {error}.", "Name an existing folder.") from error
    if absolute.is_relative_to(home.resolve()):
        raise UsageError(f"{path} is inside this home of ark-tui.", "Name a folder of your own.")
    if is_home(absolute):
        raise UsageError(f"{path} is a home of ark-tui, or inside one.", "Name a folder of your own.")
    return absolute


def readable(parts: Services, path: Path) -> tuple[Path, str]:
    """The permitted folder that contains a file, and the file's path in it, with symlinks resolved.

    Raises `UsageError` for a file outside the indexed folders and the setting `agent_folders`.
    """
    with parts.store.read() as lease:
        roots = [Path(root) for root in files.roots(lease).values()]
    roots += [Path(agent_folder).expanduser() for agent_folder in parts.settings.agent_folders]
    for root in roots:
        with suppress(OSError, ValueError, RuntimeError), Tree(root) as tree:
            inner = tree.inner(path.expanduser())
            if stat.S_ISREG(tree.stat(inner).st_mode):
                return root, inner
    raise UsageError(
        f"{path} is not in a folder of this home.",
        "Index its folder first, or name it in the setting agent_folders.",
    )


def place(path: Path, roots: dict[str, str]) -> tuple[str, str]:
    """The collection of a file and its path in it.

    Raises `UsageError` for a file reached by a symlink that leads out of an indexed folder.
    """
    real = path.resolve()
    for name, root in roots.items():
        if real.is_relative_to(root):
            return name, real.relative_to(root).as_posix()
    above = [folder.resolve() for folder in path.parents]
    if any(folder.is_relative_to(root) for root in roots.values() for folder in above):
        raise UsageError(f"{path} is a link that leads out of its folder.", f"Name the file: {real}")
    return "default", path.as_posix()


def _claimed(parts: Services, path: Path, name: str) -> tuple[str, pipeline.Before]:
    """The collection of a folder and its stored state; writes only if the folder is new or renamed."""
    with parts.store.read() as lease:
        known = files.following(lease, str(path))
        if known and name in ("", known):
            return known, pipeline.Before.read(lease, known)
    with parts.store.write() as lease:
        if not known and (old := showing.moved(lease, path)):
            files.move(lease, old, str(path))
        claimed = files.claim(lease, str(path), name)
        before = pipeline.Before.read(lease, claimed)
        if not before.known:  # set before the first file, so an interrupted run leaves it set, too
            files.note(lease, str(path), "cut", parts.reader.cut)
            files.note(lease, str(path), "place", identity(path))
            before = pipeline.Before.read(lease, claimed)
        return claimed, before


def _together(reports: Sequence[IndexReport]) -> IndexReport:
    counts = ("added", "changed", "renamed", "removed", "unchanged", "skipped", "failed")
    return IndexReport(
        collections=tuple(name for report in reports for name in report.collections),
        problems=tuple(problem for report in reports for problem in report.problems),
        notices=tuple(notice for report in reports for notice in report.notices),
        **{name: sum(getattr(report, name) for report in reports) for name in counts},
    )


def embed(parts: Services, stop: Stop = NEVER, progress: OnProgress = ignore) -> int:
    """Update every index in a visible run, also while other threads write them; return the changes applied.

    Raises `ModelUnavailable` if a server fails: finished embeddings are kept, and the caller may retry.
    """
    run = Run("embed")
    with parts.runs.under_way(run, stop) as wanted:
        try:
            parts.models.prepare()
            parts.failures += parts.models.consider(wanted)
            done = sum(follower.sync(wanted, progress, WAIT) for follower in parts.followers())
        except ModelUnavailable:
            parts.runs.drop(run)
            raise
        if ready := parts.models.settle():
            parts.failures.append(f"embedding: searches use {ready.name} from now on")
        return done
