"""Backups: one zip file with the store and the configuration. Indexes are left out, they are rebuilt.

Both ways every block and every relation of the copy is read before anything is said or replaced.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import os
import tempfile
import zipfile
import zlib
from pathlib import Path
from typing import IO, Any

from ark_tui.domain.errors import NotFound, StoreError, UsageError
from ark_tui.domain.failures import explained
from ark_tui.domain.untrusted import read_json
from ark_tui.engine import temporary
from ark_tui.engine.health import dangling
from ark_tui.settings.home import sync_folder
from ark_tui.store import Store, migrations

MANIFEST = "manifest.json"
STORE = "ark.duckdb"
CONFIG = "config.toml"
BLOCK = 1 << 20
MANIFEST_BYTES = 1 << 20
DENSEST = 100  # times that a store of some size is packed at most; zeros are packed a thousand times
SOME_SIZE = 64 << 20
MAGIC = slice(8, 12), b"DUCK"  # where DuckDB writes its mark
BROKEN = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, ValueError, RuntimeError)
"""What reading a file raises that is no zip, a damaged one, or an encrypted one."""

Manifest = dict[str, Any]


def backup(store: Store, to: Path | None, moment: str, version: str) -> Path:
    """Write a backup and return its path; in the home's `backups` unless told otherwise.

    Others wait only while the store's file is copied, not while it is read through and packed. Raises
    `StoreError` for a store that is damaged or inconsistent: there is no backup then.
    """
    folder = store.home.backups
    if to is None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    target = _target(to or folder, moment)
    temporary.clear(store.home)
    places = (folder, target.parent, Path(tempfile.gettempdir()))
    with (
        explained(target.parent),
        temporary.folder(places, store.size()) as room,
        temporary.folder([target.parent], 0) as beside,
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
    """Put a backup in place of the store; the one that was there is kept aside and its path returned.

    Nothing is touched before the backup has been unpacked, read through and given a new epoch. Then one
    rename puts it in place: killed at any moment, the home has the old store or the new. The configuration
    in a backup is for the person; it is not taken over.
    """
    store.home.create()
    store.home.backups.mkdir(mode=0o700, parents=True, exist_ok=True)
    temporary.clear(store.home)
    with _opened(source) as archive:
        manifest, size = _looked_at(archive, source)
        with temporary.folder([store.home.path], size) as room:
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
        raise UsageError(f"{target} is there already.", "Give another name, or remove it first.")
    if not target.parent.is_dir():
        raise UsageError(f"There is no folder {target.parent}.", "Make it first, or name another.")
    return target


def _kept(target: Path) -> None:
    """See to it that a finished backup is there after a power cut, too."""
    try:
        sync_folder(target.parent)
    except OSError as error:
        raise StoreError(
            f"The backup {target} is whole, but its disk may lose it: {error.strerror or error}.",
            "Make another one, on another disk.",
        ) from error


def _read_through(copy: Store) -> dict[str, int]:
    """Read every block of a copy and check every relation; the number of rows of each table.

    Raises `StoreError` for what cannot be read or does not fit together.
    """
    try:
        copy.checkpoint(must=True)
        with copy.read() as lease:
            rows = lease.read_through()
            problems = dangling(lease)
    finally:
        copy.close()
    if problems:
        raise StoreError(f"The store does not fit together: {'; '.join(problems)}.")
    return rows


def _begin_epoch(unpacked: Store) -> None:
    """Tell the unpacked store apart from the one it was copied from, so that the indexes start over."""
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
    """The manifest of a backup and the size of its store, before anything of it is written.

    Raises `StoreError` for members that no backup has, and for a store that cannot have been packed so far.
    """
    members = {one.filename: one for one in archive.infolist()}
    odd = {*members} - {MANIFEST, STORE, CONFIG} or len(members) != len(archive.infolist())
    odd = odd or any(member.header_offset < 0 for member in members.values())  # before the start of the file
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
    """Write the store of a backup, no further than its declared size, and compare its checksum."""
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
            raise ValueError("it holds no store")
        left -= len(block)
        if left < 0:
            raise ValueError("it goes on beyond the end that it declares")
        digest.update(block)
        file.write(block)
    return digest.hexdigest()


def _damaged(source: Path, why: str) -> StoreError:
    return StoreError(f"{source} is damaged, and nothing was changed. {why}", "Try an older one.")


def _no_backup(source: Path) -> StoreError:
    return StoreError(f"{source} is no backup of ark-tui, or a damaged one.", "Try an older one.")


def _whose(error: StoreError, copy: Path, store: Store) -> str:
    """What is wrong with a copy, as of the store that a person knows."""
    return error.what.replace(str(copy), str(store.path))


def _free_name(path: Path) -> Path:
    """The path itself, or one like it that nothing has yet: what is put aside never replaces anything."""
    names = (path, *(path.with_stem(f"{path.stem}-{n}") for n in range(2, 10_000)))
    return next(name for name in names if not name.exists())


def _synced(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
