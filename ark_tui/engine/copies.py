"""Backups: one zip file with the store and the configuration. Indexes are rebuilt after a restore.

Both backup and restore first verify every block and every relation of the copy.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import lzma
import os
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from ark_tui.domain.errors import NotFound, StoreError, UsageError
from ark_tui.domain.failures import explained
from ark_tui.domain.untrusted import read_json
from ark_tui.settings import Home
from ark_tui.settings.home import remove, sync_folder
from ark_tui.store import Lease, Store, migrations

MANIFEST = "manifest.json"
STORE = "ark.duckdb"
CONFIG = "config.toml"
BLOCK = 1 << 20
MANIFEST_BYTES = 1 << 20
DENSEST = 100  # highest plausible compression ratio of a large store; zeros reach 1000
SOME_SIZE = 64 << 20
MAGIC = slice(8, 12), b"DUCK"  # offset and value of DuckDB's magic bytes
BROKEN = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, ValueError, RuntimeError)
"""Errors raised when a file is no zip file, is damaged, or is encrypted."""

Manifest = dict[str, Any]

# Integrity is checked here, as DuckDB's foreign keys reject valid updates under ATTACH.
# Each query counts violations.
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
    "chunks that are both there and gone": "former_chunks f WHERE EXISTS "
    "(SELECT 1 FROM ark.chunks c WHERE c.number = f.number)",
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


def backup(store: Store, to: Path | None, moment: str, version: str) -> Path:
    """Write a backup, by default to the home's `backups`, and return its path.

    The store is only locked while its file is copied, not while the copy is verified and compressed. Raises
    `StoreError` if the store is damaged or inconsistent; then no backup is written.
    """
    folder = store.home.backups
    if to is None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    target = _target(to or folder, moment)
    clear(store.home)
    places = (folder, target.parent, Path(tempfile.gettempdir()))
    with (
        explained(target.parent),
        spare_folder(places, store.size()) as room,
        spare_folder([target.parent], 0) as beside,
    ):
        copy = store.copy(room)
        try:
            rows = _read_through(store.beside(room))
        except StoreError as error:
            raise StoreError(f"No backup was made. {_whose(error, copy, store)}", store.way_back()) from error
        packed = beside / target.name
        manifest = {
            "schema": migrations.LATEST, "version": version, "made": moment, "sha256": _digest(copy),
            "bytes": copy.stat().st_size, "rows": rows,
        }  # fmt: skip
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            archive.writestr(MANIFEST, json.dumps(manifest))
            archive.write(copy, STORE)
            if store.home.config.is_file():
                archive.write(store.home.config, CONFIG)
        packed.chmod(0o600)
        _synced(packed)
        packed.replace(target)
        _kept(target)
    return target


def restore(store: Store, source: Path, moment: str) -> Path | None:
    """Replace the store with a backup; return the path where the old store is kept, or None.

    The backup is first unpacked, verified and given a new epoch. A single rename then replaces the store, so
    after a crash the home has either the old or the new one. The configuration in the backup is not restored.
    """
    store.home.create()
    store.home.backups.mkdir(mode=0o700, parents=True, exist_ok=True)
    clear(store.home)
    with _opened(source) as archive:
        manifest, size = _looked_at(archive, source)
        with spare_folder([store.home.path], size) as room:
            fresh = room / STORE
            _unpack(archive, fresh, manifest, source)
            unpacked = store.beside(room)
            try:
                rows = _read_through(unpacked)
            except StoreError as error:
                raise _damaged(source, _whose(error, fresh, store)) from error
            if rows != manifest.get("rows", rows):
                raise _damaged(source, "It does not hold the rows that it was made with.")
            _begin_epoch(unpacked)
            kept = _free_name(store.home.backups / f"before-restore-{moment}.duckdb")
            there = store.replace(fresh, kept)
    return kept if there else None


def _target(to: Path, moment: str) -> Path:
    target = to / f"ark-{moment}.zip" if to.is_dir() else to
    if target.exists():
        raise UsageError(f"{target} already exists.", "Give another name, or remove it first.")
    if not target.parent.is_dir():
        raise UsageError(f"There is no folder {target.parent}.", "Make it first, or name another.")
    return target


def _kept(target: Path) -> None:
    """Sync the folder of a finished backup, so it survives a power failure."""
    try:
        sync_folder(target.parent)
    except OSError as error:
        raise StoreError(
            f"The backup {target} is complete, but was not flushed to disk: {error.strerror or error}.",
            "Make another one, on another disk.",
        ) from error


def _read_through(copy: Store) -> dict[str, int]:
    """Verify every block and relation of a copy; return the number of rows of each table.

    Raises `StoreError` if it is unreadable or inconsistent.
    """
    try:
        copy.checkpoint(must=True)
        with copy.read() as lease:
            rows = lease.read_through()
            problems = dangling(lease)
    finally:
        copy.close()
    if problems:
        raise StoreError(f"The store is inconsistent: {'; '.join(problems)}.")
    return rows


def _begin_epoch(unpacked: Store) -> None:
    """Give the unpacked store a new identity, so the indexes are rebuilt."""
    with unpacked.write() as lease:
        migrations.new_identity(lease)
    unpacked.checkpoint(must=True)
    unpacked.close()


BACKUPS = "Name a backup; they are in the home's backups folder."


def _opened(source: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(source)
    except FileNotFoundError as error:
        raise NotFound(f"There is no file {source}.", BACKUPS) from error
    except OSError as error:
        raise UsageError(f"{source} cannot be read: {error.strerror or error}.", BACKUPS) from error
    except BROKEN as error:
        raise _no_backup(source) from error


def _looked_at(archive: zipfile.ZipFile, source: Path) -> tuple[Manifest, int]:
    """Check a backup without unpacking it; return its manifest and the size of its store.

    Raises `StoreError` for unexpected members and for an implausible compression ratio.
    """
    members = {one.filename: one for one in archive.infolist()}
    odd = {*members} - {MANIFEST, STORE, CONFIG} or len(members) != len(archive.infolist())
    odd = odd or any(
        member.header_offset < 0 for member in members.values()
    )  # would precede the start of the file
    if odd or not {MANIFEST, STORE} <= {*members} or members[MANIFEST].file_size > MANIFEST_BYTES:
        raise _no_backup(source)
    try:
        with archive.open(MANIFEST) as file:
            manifest = read_json(file.read(MANIFEST_BYTES))
    except BROKEN as error:
        raise _no_backup(source) from error
    if not isinstance(manifest, dict) or not isinstance(manifest.get("schema"), int):
        raise _no_backup(source)
    if manifest["schema"] != migrations.LATEST:
        raise migrations.other_version(source, manifest["schema"])
    size, packed = members[STORE].file_size, members[STORE].compress_size
    if manifest.get("bytes", size) != size or size > max(SOME_SIZE, DENSEST * packed):
        raise _damaged(source, "Its store is not of the size that it is said to have.")
    return manifest, size


def _unpack(archive: zipfile.ZipFile, fresh: Path, manifest: Manifest, source: Path) -> None:
    """Unpack the store of a backup, up to its declared size, and compare its checksum."""
    try:
        with archive.open(STORE) as packed, fresh.open("xb") as file:
            digest = _copied(packed, file, archive.getinfo(STORE).file_size)
    except BROKEN as error:
        raise _damaged(source, str(error)) from error
    except OSError as error:
        raise StoreError(
            f"{source} cannot be unpacked: {error.strerror or error}. Nothing was changed.",
            "Free some space on the disk of the home.",
        ) from error
    if digest != manifest.get("sha256"):
        raise _damaged(source, "Its contents do not match its checksum.")


def _copied(packed: IO[bytes], file: IO[bytes], size: int) -> str:
    where, mark = MAGIC
    digest, left = hashlib.sha256(), size
    while block := packed.read(BLOCK):
        if left == size and block[where] != mark:
            raise ValueError("it contains no store")
        left -= len(block)
        if left < 0:
            raise ValueError("it continues after its declared end")
        digest.update(block)
        file.write(block)
    return digest.hexdigest()


def _damaged(source: Path, why: str) -> StoreError:
    return StoreError(f"{source} is damaged, and nothing was changed. {why}", "Try an older one.")


def _no_backup(source: Path) -> StoreError:
    return StoreError(f"{source} is no backup of ark-tui, or a damaged one.", "Try an older one.")


def _whose(error: StoreError, copy: Path, store: Store) -> str:
    """The error message of a copy, with the path of the original store."""
    return error.what.replace(str(copy), str(store.path))


def _free_name(path: Path) -> Path:
    """The path, or a variant that does not exist yet, so nothing is overwritten."""
    names = (path, *(path.with_stem(f"{path.stem}-{n}") for n in range(2, 10_000)))
    return next(name for name in names if not name.exists())


def _synced(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


PREFIX = ".ark-tui-copy-"
LOCK = "lock"
FLAGS = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
SPARE = 8 << 20  # bytes to leave free on a disk


@contextmanager
def spare_folder(places: Sequence[Path], need: int) -> Iterator[Path]:
    """A temporary folder in the first place with `need` bytes free. Abandoned folders are removed first.

    Raises `StoreError` if no place has room.
    """
    for place in places:
        sweep(place)
    roomy = [one for one in places if _free(one) >= need + SPARE]
    if not roomy:
        listed = ", ".join(str(one) for one in places)
        raise StoreError(
            f"There is no room for a copy of the store, {need:,} bytes, in {listed}. Nothing was changed.",
            "Free some space, or name a disk with room in TMPDIR.",
        )
    with own(roomy[0]) as path:
        yield path


@contextmanager
def own(place: Path) -> Iterator[Path]:
    """A locked temporary folder in a place. Raises `StoreError` if it cannot be created."""
    try:
        path, lock = _made(place)
    except OSError as error:
        why = error.strerror or error
        raise StoreError(f"{place} cannot be written: {why}.", "Make it writable, and make room.") from error
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
        os.close(lock)


def abandoned(home: Home) -> list[Path]:
    """Copies of the store left in a home by killed processes."""
    return list(_left(home))


def clear(home: Home) -> None:
    """Remove the abandoned copies in a home. Raises `StoreError` if that fails."""
    with explained(home.path):
        for path in _left(home):
            remove(path)


def sweep(place: Path) -> None:
    """Remove the temporary folders left in a place by killed processes."""
    for path in _abandoned(place):
        shutil.rmtree(path, ignore_errors=True)


def _left(home: Home) -> Iterator[Path]:
    yield from _abandoned(home.backups)
    yield from _abandoned(home.path)


def _made(place: Path) -> tuple[Path, int]:
    """Create a temporary folder in a place; return it and its lock, which is held."""
    while True:
        path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=place))
        with suppress(FileNotFoundError):  # removed before it was locked: try again
            lock = os.open(path / LOCK, FLAGS, 0o600)
            fcntl.flock(lock, fcntl.LOCK_EX)
            if (path / LOCK).exists():
                return path, lock
            os.close(lock)


def _abandoned(place: Path) -> Iterator[Path]:
    """Temporary folders locked by no process; each is locked until the next is requested."""
    for path in place.glob(f"{PREFIX}*"):
        with ExitStack() as held:
            try:
                lock = os.open(path / LOCK, FLAGS, 0o600)
                held.callback(os.close, lock)
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            except OSError:
                pass  # its removal reports the reason
            yield path


def _free(place: Path) -> int:
    try:
        return shutil.disk_usage(place).free if os.access(place, os.W_OK) else 0
    except OSError:
        return 0


def dangling(lease: Lease) -> list[str]:
    """The violated relations of a store, with the number of rows."""
    counted = (
        (name, int(lease.value(f"SELECT count(*) FROM {_qualified(sql)}"))) for name, sql in RELATIONS.items()
    )
    return [f"{count} {name}" for name, count in counted if count]


def _qualified(sql: str) -> str:
    return sql if sql.startswith("(") else f"ark.{sql}"
