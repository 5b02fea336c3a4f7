"""Numbered schema files, forward only, each applied once in its order."""

from __future__ import annotations

import os
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

from ark_tui.domain.errors import StoreError
from ark_tui.settings.home import sync_folder

if TYPE_CHECKING:
    from ark_tui.store.lease import Lease

LATEST = 13
SCHEMA = Path(__file__).with_name("schema")


def version(lease: Lease) -> int:
    """The schema of the attached store; 0 for an empty file.

    To ask for the names of its tables first would take DuckDB ten times as long.
    """
    import duckdb

    try:
        return int(lease.value("SELECT value FROM ark.meta WHERE key = 'schema'") or 0)
    except duckdb.CatalogException:
        lease.again()
        return 0


def apply(lease: Lease, current: int) -> None:
    """Bring an attached store from `current` to the latest schema, in the lease's transaction."""
    for number in range(current + 1, LATEST + 1):
        lease.script((SCHEMA / f"{number:04}.sql").read_text("utf-8"))
    lease.run("DELETE FROM ark.meta WHERE key = 'schema'")
    lease.run("INSERT INTO ark.meta VALUES ('schema', ?)", str(LATEST))
    if current == 0:
        new_identity(lease)


def new_identity(lease: Lease) -> None:
    """Give the store a new epoch (and an id, if it has none): indexes built before it start over."""
    lease.run("INSERT INTO ark.meta SELECT 'store', ? WHERE NOT EXISTS "
              "(SELECT 1 FROM ark.meta WHERE key = 'store')", uuid.uuid4().hex)  # fmt: skip
    lease.run("DELETE FROM ark.meta WHERE key = 'epoch'")
    lease.run("INSERT INTO ark.meta VALUES ('epoch', ?)", uuid.uuid4().hex)


def keep_copy(path: Path, folder: Path, current: int) -> Path:
    """Copy the checkpointed file aside before its schema changes; raises `StoreError` where that fails."""
    import shutil

    copy = folder / f"before-schema-{LATEST}-from-{current}.duckdb"
    beside = copy.with_suffix(".new")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        shutil.copy2(path, beside)
        with beside.open("rb") as file:
            os.fsync(file.fileno())
        beside.replace(copy)
        sync_folder(folder)
    except OSError as error:
        if beside.is_file():
            beside.unlink()
        raise StoreError(
            f"The home is of an older ark-tui, and no copy of it can be kept in {folder}: "
            f"{error.strerror or error}. It stays as it is.",
            "Make room, or the folder writable, and open it again.",
        ) from error
    return copy
