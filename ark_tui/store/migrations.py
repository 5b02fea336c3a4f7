"""The schema of the store and its number. A store with another number is refused."""

from __future__ import annotations

import uuid

from ark_tui.domain.errors import Hint, StoreError
from ark_tui.store.lease import SCHEMA, Lease

LATEST = 15  # increase with every change to `schema.sql`
WAY_OUT = Hint.run(
    "export-curation",
    "FILE",
    say="With that version run `{}`. Then set ARK_HOME to a new folder, index again, and run ",
) + Hint.run("import-curation", "FILE", say="`{}`.")


def version(lease: Lease) -> int:
    """The schema number of the attached store; 0 for an empty file.

    Listing the tables first would take DuckDB ten times as long.
    """
    import duckdb

    try:
        return int(lease.value("SELECT value FROM ark.meta WHERE key = 'schema'") or 0)
    except duckdb.CatalogException:
        lease.again()
        return 0


def other_version(what: object, number: object) -> StoreError:
    """The error for a store or backup with another schema number."""
    return StoreError(
        f"{what} was made by another version of ark-tui (schema {number}; this version reads {LATEST}).",
        WAY_OUT,
    )


def create(lease: Lease) -> None:
    """Create the tables in an empty, attached store, in the lease's transaction."""
    lease.script(SCHEMA.read_text("utf-8"))
    lease.run("INSERT INTO ark.meta VALUES ('schema', ?)", str(LATEST))
    new_identity(lease)


def new_identity(lease: Lease) -> None:
    """Give the store a new epoch (and an id if it has none): indexes from before start over."""
    lease.run("INSERT INTO ark.meta SELECT 'store', ? WHERE NOT EXISTS "
              "(SELECT 1 FROM ark.meta WHERE key = 'store')", uuid.uuid4().hex)  # fmt: skip
    lease.run("DELETE FROM ark.meta WHERE key = 'epoch'")
    lease.run("INSERT INTO ark.meta VALUES ('epoch', ?)", uuid.uuid4().hex)
