"""Backups: one zip file with the store and the configuration. Indexes are rebuilt after a restore.

Both backup and restore first verify every block and every relation of the copy.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import os
import shutil
import tempfile
import threading
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from ark_tui.domain import archives
from ark_tui.domain.documents import content_hash
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
BROKEN = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, ValueError, RuntimeError)
"""Errors raised when a file is not a zip file, is damaged, or is encrypted."""

Manifest = dict[str, Any]

DOCUMENT = "documents d WHERE d.number = c.document"
LIVING = f"{DOCUMENT} AND d.gone IS NULL"
TRASHED = "said s WHERE s.aspect = 'trash' AND s.document = c.document"
CHUNK = "chunks k WHERE k.number = c.chunk"
LOGGED = (
    "changes l WHERE l.chunk = c.number AND NOT l.gone "
    "UNION ALL SELECT 1 FROM ark.message_changes l WHERE l.chunk = c.number AND NOT l.gone"
)
STORED = (
    "documents d WHERE d.folder = c.folder AND d.path = c.path AND (d.gone IS NULL OR d.number IN "
    "(SELECT document FROM ark.said WHERE aspect = 'trash'))"
)

# Integrity is checked here, as DuckDB's foreign keys reject valid updates under ATTACH.
REQUIRED = {
    "chunks without a document": ("chunks c", LIVING),
    "chunks that were never logged": ("chunks c", LOGGED),
    "changes of chunks that do not exist": ("changes c WHERE NOT c.gone", CHUNK),
    "changes of messages that do not exist": ("message_changes c WHERE NOT c.gone", CHUNK),
    "messages without a document": ("messages c", f"{LIVING} AND d.layer = 1"),
    "documents of layer 1 that are not messages": (
        "documents c WHERE c.layer = 1", "messages m WHERE m.document = c.number",
    ),
    "messages beyond the end of their conversation": (
        "messages c", "conversations t WHERE t.number = c.conversation AND c.sequence <= t.last",
    ),
    "uses of documents that never were": ("accesses c", DOCUMENT),
    "moves of documents that never were": ("moves c", DOCUMENT),
    "tags without a document": ("tags c", DOCUMENT),
    "metadata without a document": ("metadata c", DOCUMENT),
    "links without a document": ("links c", DOCUMENT),
    "links to documents that never were": (
        "links c WHERE c.resolved IS NOT NULL", "documents d WHERE d.number = c.resolved",
    ),
    "names without a document": ("names c", LIVING),
    "documents without a name": (
        "documents c WHERE c.gone IS NULL AND c.layer <> 1", "names n WHERE n.document = c.number",
    ),
    "superseded documents that are gone": ("superseded c", LIVING),
    "superseded documents without a successor": (
        "superseded c", "documents d WHERE d.number = c.successor AND d.gone IS NULL",
    ),
    "answers without a search": ("answers c", "searches s WHERE s.id = c.search"),
    "patterns without a document": ("patterns c", f"{DOCUMENT} AND d.type = 'pattern'"),
    "documents of type pattern without a pattern": (
        "documents c WHERE c.folder = 'memory' AND c.type = 'pattern'",
        "patterns p WHERE p.document = c.number",
    ),
    "directives without a document": ("directives c", f"{DOCUMENT} AND d.type = 'directive'"),
    "documents of type directive without a rule": (
        "documents c WHERE c.folder = 'memory' AND c.type = 'directive'",
        "directives r WHERE r.document = c.number",
    ),
    "memories of a context that was not kept": ("recalled c", "contexts x WHERE x.id = c.context"),
    "uses of a retrieval that was not kept": (
        "applications c",
        "contexts x WHERE x.id = c.retrieval UNION ALL SELECT 1 FROM ark.searches s WHERE s.id = c.retrieval",
    ),
    "indexed files without a document": ("files c WHERE c.state = 'indexed'", STORED),
    "edits of documents that never were": ("said c WHERE c.document <> 0", DOCUMENT),
    "documents in the trash that are alive": (
        "said c WHERE c.aspect = 'trash'", f"{DOCUMENT} AND d.gone IS NOT NULL",
    ),
    "chunks aside of documents that are not in the trash": ("trashed_chunks c", TRASHED),
    "links aside of documents that are not in the trash": ("trashed_links c", TRASHED),
    "names aside of documents that are not in the trash": ("trashed_names c", TRASHED),
    "strokes without an edit": ("strokes c", "edits e WHERE e.number = c.edit"),
    "documents of an unknown collection": (
        "documents c WHERE c.gone IS NULL", "collections k WHERE k.name = c.folder",
    ),
}  # fmt: skip
"""Rows (`c`) that need a row of another table, by the name of those without one."""

UNIQUE = {
    "messages": "conversation, sequence", "conversations": "agent, session, id",
    "scratch": "agent, session, key, version", "tasks": "agent, session, id", "searches": "id",
    "patterns": "document", "directives": "document", "events": "number", "said": "document, aspect, key",
    "edits": "number", "documents": "id", "chunks": "number",
}  # fmt: skip
"""The columns that no two rows of a table may share."""

OTHER = {
    "chunks that are both there and gone": "former_chunks JOIN ark.chunks USING (number)",
    "confidences out of bounds": "patterns WHERE NOT confidence BETWEEN 0 AND 1",
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
    places = (folder, target.parent, Path(tempfile.gettempdir()))
    with (
        explained(target.parent),
        _alone(store.home, places),
        spare_folder(store.home, places, store.database.size()) as room,
        spare_folder(store.home, [target.parent], 0) as beside,
    ):
        copy = store.database.copy(room)
        try:
            rows = _read_through(store.beside(room))
        except StoreError as error:
            raise StoreError(
                f"No backup was made. {_whose(error, copy, store)}", store.database.way_back()
            ) from error
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
    with _alone(store.home, [store.home.backups, store.home.path]), _opened(source) as archive:
        manifest, size = _looked_at(archive, source)
        with spare_folder(store.home, [store.home.path], size) as room:
            fresh = room / STORE
            _unpack(archive, fresh, manifest, source)
            unpacked = store.beside(room)
            try:
                rows = _read_through(unpacked)
            except StoreError as error:
                raise _damaged(source, _whose(error, fresh, store)) from error
            if rows != manifest.get("rows", rows):
                raise _damaged(source, "It does not have the rows that it was made with.")
            _begin_epoch(unpacked)
            kept = _free_name(store.home.backups / f"before-restore-{moment}.duckdb")
            there = store.database.replace(fresh, kept)
    return kept if there else None


@contextmanager
def _alone(home: Home, places: Iterable[Path]) -> Iterator[None]:
    """Only one backup or restore at a time in this block. What killed ones have left is removed first."""
    with _COPYING:
        for path in _left(home, places):
            shutil.rmtree(path, ignore_errors=True)
        yield


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

    Raises `StoreError` for unexpected members, and if the store is compressed more than a store can be.
    """
    members = {one.filename: one for one in archive.infolist()}
    odd = {*members} - {MANIFEST, STORE, CONFIG} or len(members) != len(archive.infolist())
    odd = odd or any(one.header_offset < 0 for one in members.values())  # before the start of the file
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
    size = members[STORE].file_size
    if manifest.get("bytes", size) != size:
        raise _damaged(source, "Its store has the wrong size.")
    try:
        archives.check(archive, size, [STORE])
    except archives.TooLarge as error:
        raise _damaged(source, f"Its store is implausible: {error}.") from error
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
    digest, left = hashlib.sha256(), size
    while block := packed.read(BLOCK):
        left -= len(block)
        if left < 0:
            raise ValueError("it continues after its declared end")
        digest.update(block)
        file.write(block)
    return digest.hexdigest()


def _damaged(source: Path, why: str) -> StoreError:
    return StoreError(f"{source} is damaged, and nothing was changed. {why}", "Try an older one.")


def _no_backup(source: Path) -> StoreError:
    return StoreError(f"{source} is not a backup of ark-tui, or is damaged.", "Try an older one.")


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
SPARE = 8 << 20  # bytes to leave free on a disk
_COPYING = threading.Lock()  # backups and restores of this process, one at a time


@contextmanager
def spare_folder(home: Home, places: Sequence[Path], need: int) -> Iterator[Path]:
    """A temporary folder in the first place with `need` bytes free. Raises `StoreError` if none has room."""
    roomy = [one for one in places if _free(one) >= need + SPARE]
    if not roomy:
        listed = ", ".join(str(one) for one in places)
        raise StoreError(
            f"There is no room for a copy of the store, {need:,} bytes, in {listed}. Nothing was changed.",
            "Free some space, or name a disk with room in TMPDIR.",
        )
    try:
        path = Path(tempfile.mkdtemp(prefix=_prefix(home), dir=roomy[0]))
    except OSError as error:
        why = error.strerror or error
        raise StoreError(
            f"{roomy[0]} cannot be written: {why}.", "Make it writable, and make room."
        ) from error
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def abandoned(home: Home) -> list[Path]:
    """Copies of the store that killed processes have left in a home."""
    return [] if _COPYING.locked() else _left(home, (home.backups, home.path))


def clear(home: Home) -> None:
    """Remove these copies. Raises `StoreError` if that fails."""
    with explained(home.path):
        for path in abandoned(home):
            remove(path)


def _prefix(home: Home) -> str:
    """The beginning of the names of a home's copies, as other homes have theirs in the same places."""
    return f"{PREFIX}{content_hash(str(home.path.resolve()).encode())[:12]}-"


def _left(home: Home, places: Iterable[Path]) -> list[Path]:
    return [path for place in dict.fromkeys(places) for path in place.glob(f"{_prefix(home)}*")]


def _free(place: Path) -> int:
    try:
        return shutil.disk_usage(place).free if os.access(place, os.W_OK) else 0
    except OSError:
        return 0


def dangling(lease: Lease) -> list[str]:
    """The violated relations of a store, with the number of rows."""
    asked = {
        name: f"{rows} {'AND' if ' WHERE ' in rows else 'WHERE'} NOT EXISTS (SELECT 1 FROM ark.{needed})"
        for name, (rows, needed) in REQUIRED.items()
    }
    for table, columns in UNIQUE.items():
        asked[f"{table} with the same {columns}"] = f"{table} GROUP BY {columns} HAVING count(*) > 1"
    counted = (
        (name, lease.count(f"SELECT count(*) FROM (SELECT 1 FROM ark.{sql})"))
        for name, sql in (asked | OTHER).items()
    )
    return [f"{count} {name}" for name, count in counted if count]
