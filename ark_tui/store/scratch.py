"""Scratch notes: all versions of each key; the last one is current."""

from __future__ import annotations

from datetime import UTC

from ark_tui.domain.memory import Scope, ScratchValue
from ark_tui.store.lease import Lease, Row
from ark_tui.store.owners import in_scope


def put(lease: Lease, scope: Scope, key: str, value: str, *, deleted: bool = False) -> ScratchValue:
    """Store a new version of a key."""
    version = 1 + lease.count(
        "SELECT coalesce(max(version), 0) FROM ark.scratch WHERE agent = ? AND session = ? AND key = ?",
        *(scope.agent, scope.session, key),
    )
    moment = lease.moment
    row = (scope.agent, scope.session, key, version, value, deleted, moment)
    lease.insert("scratch", [row])
    return _value(row)


def versions(lease: Lease, scope: Scope, key: str) -> list[ScratchValue]:
    """All versions of a key in a scope, oldest first."""
    rows = lease.rows(
        "SELECT * FROM ark.scratch WHERE agent = ? AND session = ? AND key = ? ORDER BY version",
        *(scope.agent, scope.session, key),
    )
    return [_value(row) for row in rows]


def latest(lease: Lease, scope: Scope, key: str = "") -> list[ScratchValue]:
    """The current value of each key in a scope, or of one key, sorted by scope and key."""
    own, whose = in_scope(scope)
    rows = lease.rows(
        f"""SELECT * FROM ark.scratch
            WHERE {own} AND (? = '' OR key = ?)
            QUALIFY version = max(version) OVER (PARTITION BY agent, session, key)
            ORDER BY agent, session, key""",
        *(*whose, key, key),
    )
    return [value for value in map(_value, rows) if not value.deleted]


def deleted(lease: Lease, scope: Scope) -> int:
    """The number of deleted keys in a scope that can still be restored."""
    return len(_deleted(lease, scope))


def purge(lease: Lease, scope: Scope) -> int:
    """Permanently delete those keys with all versions; return their number."""
    gone = _deleted(lease, scope)
    for key in gone:
        lease.run("DELETE FROM ark.scratch WHERE agent = ? AND session = ? AND key = ?", *key)
    return len(gone)


def _deleted(lease: Lease, scope: Scope) -> list[Row]:
    own, whose = in_scope(scope)
    return lease.rows(
        f"""SELECT agent, session, key FROM ark.scratch WHERE {own}
           GROUP BY ALL HAVING arg_max(deleted, version)""",
        *whose,
    )


def _value(row: Row) -> ScratchValue:
    agent, session, key, version, value, deleted, moment = row
    scope = Scope(agent, session)
    return ScratchValue(key, value, int(version), moment.replace(tzinfo=UTC), scope, deleted)
