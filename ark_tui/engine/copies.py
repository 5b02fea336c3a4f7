"""Backups: one zip file with the store and the configuration. Indexes are left out, they are rebuilt."""

from __future__ import annotations

import hashlib
import json
import lzma
import shutil
import tempfile
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ark_tui.domain.errors import StoreError, UsageError
from ark_tui.domain.untrusted import read_json
from ark_tui.store import migrations

if TYPE_CHECKING:
    from ark_tui.store import Store

MANIFEST = "manifest.json"
STORE = "ark.duckdb"
CONFIG = "config.toml"
BLOCK = 1 << 20
BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    KeyError,
    ValueError,
    OSError,
    RuntimeError,
)
"""What reading a file raises that is no zip, a damaged one, or an encrypted one."""


def backup(store: Store, to: Path | None, moment: str, version: str) -> Path:
    """Write a backup and return its path; in the home's `backups` unless told otherwise.

    Others wait only while the store's file is copied, not while it is packed.
    """
    folder = store.home.backups
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    target = to or folder / f"ark-{moment}.zip"
    if target.is_dir():
        target = target / f"ark-{moment}.zip"
    if target.exists():
        raise UsageError(f"{target} is there already.", "Give another name, or remove it first.")
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        copy = Path(scratch) / STORE
        with store.alone():
            shutil.copyfile(store.path, copy)
        packed = Path(scratch) / "packed.zip"
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            archive.write(copy, STORE)
            if store.home.config.is_file():
                archive.write(store.home.config, CONFIG)
            manifest = {
                "schema": migrations.LATEST,
                "version": version,
                "made": moment,
                "sha256": _digest(copy),
            }
            archive.writestr(MANIFEST, json.dumps(manifest))
        packed.chmod(0o600)
        shutil.move(packed, target)
    return target


def restore(store: Store, source: Path, moment: str) -> Path | None:
    """Put a backup in place of the store; the one that was there is kept aside and its path returned.

    Nothing is touched before the backup has been unpacked, checked, brought to today's schema and given a
    new epoch. Then one rename puts it in place: killed at any moment, the home has the old store or the new.
    """
    folder = store.home.backups
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        fresh = _unpack(source, Path(scratch))
        _begin_epoch(store, Path(scratch))
        kept = folder / f"before-restore-{moment}.duckdb"
        with store.alone():
            if store.path.exists():
                shutil.copyfile(store.path, kept)
                kept.chmod(0o600)
            store.path.with_name(store.path.name + ".wal").unlink(missing_ok=True)
            fresh.replace(store.path)
    store.announce()
    return kept if kept.exists() else None


def _begin_epoch(store: Store, scratch: Path) -> None:
    """Tell the unpacked store apart from the one it was copied from, so that the indexes start over."""
    unpacked = store.beside(scratch)
    with unpacked.write() as lease:
        migrations.new_identity(lease)
    with unpacked.alone():
        pass
    unpacked.close()


def _unpack(source: Path, scratch: Path) -> Path:
    try:
        with zipfile.ZipFile(source) as archive:
            manifest = _manifest(archive)
            archive.extract(STORE, scratch)
    except FileNotFoundError as error:
        raise UsageError(
            f"There is no file {source}.", "Name a backup; they are in the home's backups folder."
        ) from error
    except BROKEN as error:
        raise StoreError(
            f"{source} is no backup of ark-tui, or a damaged one.", "Try an older one."
        ) from error
    fresh = scratch / STORE
    if _digest(fresh) != manifest.get("sha256"):
        raise StoreError(f"{source} is damaged: its contents do not match its checksum.", "Try an older one.")
    if manifest["schema"] > migrations.LATEST:
        raise StoreError(
            f"{source} was made by ark-tui {manifest.get('version')}, which is newer.",
            "Install that version.",
        )
    return fresh


def _manifest(archive: zipfile.ZipFile) -> dict[str, Any]:
    """What a backup says of itself. Raises `KeyError` or `ValueError` where that makes no sense."""
    said = read_json(archive.read(MANIFEST))
    if not isinstance(said, dict) or not isinstance(said.get("schema"), int):
        raise KeyError(MANIFEST)
    return said


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()
