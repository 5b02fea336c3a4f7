"""Where a document is; or what lost it before any search could find it: files, folders, store, indexes."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ark_tui.domain.addresses import is_address, placed
from ark_tui.domain.documents import Document
from ark_tui.domain.errors import Hint, NotFound, UsageError
from ark_tui.domain.layers import RETIRED, WORKING
from ark_tui.domain.whynot import Remedy, Stage
from ark_tui.domain.work import Problem
from ark_tui.engine import indexing, roots, showing
from ark_tui.ingest import generated
from ark_tui.ingest.reading import load
from ark_tui.ingest.walk import Entry
from ark_tui.retrieval.shown import stale
from ark_tui.settings import caller
from ark_tui.settings.tree import Tree
from ark_tui.store import documents, files, trash

if TYPE_CHECKING:
    from ark_tui.engine.services import Services
    from ark_tui.store import Lease
    from ark_tui.store.files import FileRecord

NEAR = 3  # paths that are named where there is none
PATHS = (
    "SELECT path FROM ark.documents WHERE gone IS NULL AND layer <> 1 "
    "UNION SELECT path FROM ark.files ORDER BY path"
)
ALIKE = 0.6  # least similarity (difflib's ratio) of one of them


@dataclass(frozen=True, slots=True)
class Lost:
    """A document, or a file, that no search can find: the stage, why in a sentence, and what to do."""

    stage: Stage
    sentence: str
    remedies: tuple[Remedy, ...] = ()
    document: Document | None = None
    near: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Held:
    """A document of the home with its chunks, by number. `chunk`: the one that was asked for.

    `behind`: which indexes have not taken it up: `words`, `vectors`. `saved`: the folder to read again, where
    its file has been saved since it was read; else empty.
    """

    number: int
    document: Document
    chunk: int | None
    chunks: tuple[int, ...]
    behind: tuple[str, ...] = ()
    saved: str = ""


class Place(NamedTuple):
    """A path below the folder that a collection follows."""

    folder: str
    path: str


@dataclass(frozen=True, slots=True)
class _Known:
    """What the store says of the places that a reference may mean."""

    roots: Mapping[str, str]
    places: Sequence[Place]
    records: Mapping[Place, FileRecord]
    gone: Mapping[Place, Document]  # what lay there, and is no more
    paths: Sequence[str]  # of everything, to find one that is alike


def find(parts: Services, ref: str, *, person: bool) -> Held | Lost:
    """The document that a reference names, or where it was lost. Raises `Ambiguous`, `UsageError`.

    `person`: is told of files outside the followed folders, too.
    """
    if parts.elsewhere:
        raise UsageError(
            "Why a document of a table elsewhere is not found is known where its home is.",
            "Ask for it there.",
        )
    try:
        number, chunk, _ = showing.stored(parts, ref)
    except NotFound:
        with parts.store.read() as lease:
            places = list(dict.fromkeys(_places(lease, ref.strip())))
            living = next((number for place in places if (number := _living(lease, place))), 0)
        if not living:
            return _unheld(parts, ref.strip(), places, person=person)
        number, chunk = living, None
    return _held(parts, number, chunk)


def _held(parts: Services, number: int, chunk: int | None) -> Held | Lost:
    with parts.store.read() as lease:
        found = documents.documents(lease, [number])[number]
        chunks = lease.numbers("SELECT number FROM ark.chunks WHERE document = ? ORDER BY ordinal", number)
        table = "message_changes" if found.layer == WORKING else "changes"
        changed = lease.count(
            f"SELECT coalesce(max(number), 0) FROM ark.{table} WHERE chunk IN (SELECT unnest(?::BIGINT[]))",
            chunks,
        )
    if found.status == RETIRED:
        back = Hint.run("revive", found.short_id, say="Bring it back: {}.")
        return Lost(
            "retired", "It was retired, and searches leave it out.", (Remedy("restore", back),), found
        )
    if not chunks:
        return Lost("empty", "There is no text in it that could be found.", (), found)
    with parts.store.read() as lease:
        known = documents.found(lease, chunks[:1])[chunks[0]]
    saved = str(known.root) if stale(known) else ""
    return Held(number, found, chunk, tuple(chunks), tuple(_behind(parts, found, changed)), saved)


def _behind(parts: Services, found: Document, changed: int) -> Iterator[str]:
    """The indexes that have not come to the latest change of a document."""
    if found.layer == WORKING:
        return  # that of messages is caught up by the search that asks it
    local, served = parts.local_followers(), parts.models.followers()
    words, vectors = local[0], [*local[1:], *served]
    if words.mark().number < changed:
        yield "words"
    if any(follower.mark().number < changed for follower in vectors):
        yield "vectors"


# -- not among the living --------------------------------------------------------------------------


def _unheld(parts: Services, ref: str, places: Sequence[Place], *, person: bool) -> Lost:
    with parts.store.read() as lease:
        with suppress(NotFound):
            return _trashed(lease, ref)
        known = _known(lease, places)
    for place in places:
        if lost := _at(parts, known, place):
            return lost
    outside = Path(ref).expanduser()
    if person and (caller.folder() / outside).is_file() and not places:
        add = Hint.run("index", (caller.folder() / outside).resolve().parent, say="Index its folder: {}.")
        what = f"The file {outside} lies in no folder that this home follows."
        return Lost("outside", what, (Remedy("index", add),))
    return _unknown(parts, ref, known)


def _trashed(lease: Lease, ref: str) -> Lost:
    number = documents.resolve(lease, ref, trash.HELD)
    found = documents.documents(lease, [number])[number]
    back = Hint.run("untrash", found.short_id, say="Bring it back: {}.")
    return Lost("trash", "It lies in the trash, where no search finds it.", (Remedy("restore", back),), found)


def _places(lease: Lease, ref: str) -> Iterator[Place]:
    """Where a file of that name lies, lay, or may lie, in the order in which it is likely to be meant."""
    roots, name = files.roots(lease), ref.removeprefix("./")
    if not name:
        return
    yield from (
        Place(folder, ref.removeprefix(f"{root}/"))
        for folder, root in roots.items()
        if is_address(root) and ref.startswith(f"{root}/")
    )
    yield from _from_here(roots, Path(ref).expanduser())
    for folder in (folder for folder in roots if name.startswith(f"{folder}/")):
        yield Place(folder, name.removeprefix(f"{folder}/"))
    for table in ("documents", "files"):
        rows = lease.rows(
            f"SELECT DISTINCT folder, path FROM ark.{table} "
            "WHERE path = ? OR ends_with(path, ?) ORDER BY folder, path",
            *(name, f"/{name}"),
        )
        yield from (Place(folder, path) for folder, path in rows if folder in roots)
    if not Path(name).is_absolute():
        below = os.path.normpath(name)
        yield from (
            Place(folder, below) for folder, root in roots.items() if os.path.lexists(Path(root, below))
        )


def _from_here(roots: Mapping[str, str], path: Path) -> Iterator[Place]:
    """Where a path, absolute or from the present folder, lies below a root; links above it are followed."""
    whole = Path(os.path.normpath(caller.folder() / path))
    for folder, root in roots.items():
        for one in (whole, Path(os.path.realpath(whole.parent), whole.name)):
            if one.is_relative_to(root) and one != Path(root):
                yield Place(folder, one.relative_to(root).as_posix())


def _living(lease: Lease, place: Place) -> int:
    """The number of the document that lies there; 0 where none does."""
    return int(
        lease.value(
            "SELECT number FROM ark.documents WHERE folder = ? AND path = ? AND gone IS NULL ORDER BY item",
            *place,
        )
        or 0
    )


def _known(lease: Lease, places: Sequence[Place]) -> _Known:
    records = {
        folder: files.known(lease, folder) for folder in dict.fromkeys(place.folder for place in places)
    }
    gone = {
        place: number
        for place in places
        if (
            number := lease.number(
                "SELECT number FROM ark.documents WHERE folder = ? AND path = ? AND gone IS NOT NULL "
                "ORDER BY gone DESC LIMIT 1",
                *place,
            )
        )
    }
    found = documents.documents(lease, list(gone.values()))
    return _Known(
        files.roots(lease),
        places,
        {place: records[place.folder][place.path] for place in places if place.path in records[place.folder]},
        {place: found[number] for place, number in gone.items()},
        [str(row[0]) for row in lease.rows(PATHS)],
    )


def _at(parts: Services, known: _Known, place: Place) -> Lost | None:
    """What became of the file at a place; None where there is nothing, and never was."""
    root, before = placed(known.roots[place.folder]), known.gone.get(place)
    record = known.records.get(place)
    there = os.path.lexists(root / place.path)
    if there or before or record:
        if why := _rule(parts, root, place.path):
            said = f"The file {place.path} is left out of {place.folder}: {why}."
            return Lost("ignored", said, (_unruled(root, place.path),), before)
        if record and record.state != "indexed" and (not there or _same(root, record)):
            return _refused(root, record, before)
    if there:
        return _unread(parts, root, place, before)
    if before or record:
        said = f"Its file {place.path} is not in {place.folder} any more."
        return Lost("deleted", said, (), before, _near(place.path, known.paths))
    return None


def _rule(parts: Services, root: Path, path: str) -> str:
    """Which rule of a root leaves a path out; empty where none does, or the root is away."""
    if not root.is_dir():
        return ""
    with parts.store.read() as lease:
        noted = files.noted(lease)
    return roots.rules(parts.settings, root, noted).why(path)


def _unruled(root: Path, path: str) -> Remedy:
    say = (
        f"Take the rule out, or add the line !{path} at the end of .arkignore in {root}; then read it: {{}}."
    )
    if any(part.startswith((".", "_")) for part in path.split("/")[:-1]):
        say = "Rename the folder, or move the file out of it; then read it: {}."
    return Remedy("rule", Hint.run("index", root, say=say))


def _same(root: Path, record: FileRecord) -> bool:
    """Whether a file is as it was when it was left out."""
    try:
        with Tree(root) as tree:
            seen = tree.stat(record.path)
    except OSError:
        return True
    return record.size < 0 or (seen.st_size, seen.st_mtime_ns) == (record.size, record.mtime_ns)


def _refused(root: Path, record: FileRecord, before: Document | None) -> Lost:
    stage: Stage = "failed" if record.state == "failed" else "skipped"
    verb = "could not be read" if stage == "failed" else "was left out"
    if generated.is_reason(record.reason):
        said = f"The file {record.path} was left out: {record.reason}."
        return Lost(stage, said, (_unruled(root, record.path),), before)
    again = Hint.run("index", root, say="Mend that, then read it again: {}.")
    if "too large" in record.reason:
        again = Hint.run(
            "config set", "max_bytes", _room(record.size), say="Raise the limit, then index again: {}."
        )
    return Lost(stage, f"The file {record.path} {verb}: {record.reason}.", (Remedy("index", again),), before)


def _room(size: int) -> int:
    """The next power of two from a size on, in bytes."""
    return 1 << max(size - 1, 1).bit_length()


def _unread(parts: Services, root: Path, place: Place, before: Document | None) -> Lost:
    """A file that has come, or changed, since its folder was read; and what reading it would say."""
    read = Remedy("index", Hint.run("index", root, say="Read the folder: {}."))
    said = f"The file {place.path} of {place.folder} has not been read since it was saved"
    with Tree(root) as tree:
        problem = _problem(parts, tree, place.path)
    return Lost("unread", f"{said}{problem}.", (read,), before)


def _problem(parts: Services, tree: Tree, path: str) -> str:
    """Why a file would be left out if it were read now."""
    try:
        seen = tree.stat(path)
        if stat.S_ISLNK(seen.st_mode):
            return "; it is a link, and what it leads to is found under its own name alone"
        if not stat.S_ISREG(seen.st_mode):
            return "; it is not a file but a folder, pipe, socket or device"
        entry = Entry.of(tree, path)
    except OSError as error:
        return f"; it cannot be had: {error.strerror or error}"
    data = load(tree, entry, parts.settings.max_bytes)
    drafts = data if isinstance(data, Problem) else indexing.reading(parts).read(entry, data)
    return f"; it would be left out: {drafts.reason}" if isinstance(drafts, Problem) else ""


def _unknown(parts: Services, ref: str, known: _Known) -> Lost:
    near = _near(ref, known.paths)
    said = f"There is no document or file {ref} here."
    rules = [
        f" Were there such a file in {place.folder}, it would be left out: {why}."
        for place in known.places
        if (why := _rule(parts, placed(known.roots[place.folder]), place.path))
    ]
    alike = f" The nearest that there is: {', '.join(near)}." if near else ""
    look = Hint.run("documents list", say="Look for it: {}.")
    return Lost("unknown", said + "".join(rules[:1]) + alike, (Remedy("other", look),), None, near)


def _near(ref: str, paths: Sequence[str]) -> tuple[str, ...]:
    """Known paths that are alike, by the whole or by their names, the likest first."""
    wanted = ref.casefold()
    name = wanted.rpartition("/")[2]
    letters = set(name)

    def alike(path: str) -> float:
        other = path.casefold()
        last = other.rpartition("/")[2]
        if len(letters & set(last)) * 2 < len(letters):
            return 0.0
        matcher = SequenceMatcher(None, name, last)
        if matcher.real_quick_ratio() < ALIKE:
            return 0.0
        return matcher.ratio() + 0.1 * SequenceMatcher(None, wanted, other).ratio()

    scored = sorted(((alike(path), path) for path in paths), key=lambda one: (-one[0], one[1]))
    return tuple(path for share, path in scored[:NEAR] if share >= ALIKE)
