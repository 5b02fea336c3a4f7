"""Long work that was begun and is not finished, so that it can go on after a kill."""

from __future__ import annotations

from ark_tui.domain.work import Run
from ark_tui.store.lease import Lease

COLUMNS = {
    "id": "VARCHAR", "kind": "VARCHAR", "what": "VARCHAR", "collection": "VARCHAR", "tags": "VARCHAR[]",
    "paused": "BOOLEAN", "on_cluster": "VARCHAR",
}  # fmt: skip


def kept(lease: Lease) -> dict[str, Run]:
    """All of it, by id."""
    return {
        str(id_): Run(kind, what, collection, tuple(tags), paused, on)
        for id_, kind, what, collection, tags, paused, on in lease.rows(
            f"SELECT {', '.join(COLUMNS)} FROM ark.jobs ORDER BY id"
        )
    }


def put(lease: Lease, id_: str, run: Run) -> None:
    """Keep a run, in place of the one with its id."""
    drop(lease, id_)
    lease.run(
        f"INSERT INTO ark.jobs ({', '.join(COLUMNS)}) VALUES (?, ?, ?, ?, ?, ?, ?)",
        *(id_, run.kind, run.what, run.collection, [*run.tags], run.paused, run.on),
    )


def drop(lease: Lease, id_: str) -> None:
    """Forget a run."""
    lease.run("DELETE FROM ark.jobs WHERE id = ?", id_)
