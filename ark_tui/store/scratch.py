"""The scratchpad: every value that a key has had, the last one counts."""

from __future__ import annotations

from datetime import UTC

from ark_tui.domain.memory import EVERY, Scope, ScratchValue
from ark_tui.store.lease import Lease, Row

COLUMNS = {
    "agent": "VARCHAR", "session": "VARCHAR", "key": "VARCHAR", "version": "INTEGER", "value": "VARCHAR",
    "deleted": "BOOLEAN", "moment": "TIMESTAMP",
}  # fmt: skip
NAMED = ", ".join(COLUMNS)


def put(lease: Lease, scope: Scope, key: str, value: str, *, deleted: bool = False) -> ScratchValue:
    """Give a key a new version."""
    version = 1 + lease.count(
        "SELECT coalesce(max(version), 0) FROM ark.scratch WHERE agent = ? AND session = ? AND key = ?",
        *(scope.agent, scope.session, key),
    )
    moment = lease.moment
    row = (scope.agent, scope.session, key, version, value, deleted, moment)
    lease.insert("scratch", COLUMNS, [row])
    return _value(row)


def versions(lease: Lease, scope: Scope, key: str) -> list[ScratchValue]:
    """All that a key of a scope has been, the oldest first."""
    rows = lease.rows(
        f"SELECT {NAMED} FROM ark.scratch WHERE agent = ? AND session = ? AND key = ? ORDER BY version",
        *(scope.agent, scope.session, key),
    )
    return [_value(row) for row in rows]


def latest(lease: Lease, scope: Scope, key: str = "") -> list[ScratchValue]:
    """What stands under each key of a scope today, or under that one, by scope and key."""
    rows = lease.rows(
        f"""SELECT {NAMED} FROM ark.scratch
            WHERE (? = ? OR agent = ?) AND (? = ? OR session = ?) AND (? = '' OR key = ?)
            QUALIFY version = max(version) OVER (PARTITION BY agent, session, key)
            ORDER BY agent, session, key""",
        *(scope.agent, EVERY, scope.agent, scope.session, EVERY, scope.session, key, key),
    )
    return [value for value in map(_value, rows) if not value.deleted]


def deleted(lease: Lease, scope: Scope) -> int:
    """How many keys of a scope were deleted and can still be brought back."""
    return len(_deleted(lease, scope))


def purge(lease: Lease, scope: Scope) -> int:
    """Delete those for good, with all that they have been; returns how many."""
    gone = _deleted(lease, scope)
    for key in gone:
        lease.run("DELETE FROM ark.scratch WHERE agent = ? AND session = ? AND key = ?", *key)
    return len(gone)


def _deleted(lease: Lease, scope: Scope) -> list[Row]:
    return lease.rows(
        """SELECT agent, session, key FROM ark.scratch WHERE (? = ? OR agent = ?) AND (? = ? OR session = ?)
           GROUP BY ALL HAVING arg_max(deleted, version)""",
        *(scope.agent, EVERY, scope.agent, scope.session, EVERY, scope.session),
    )


def _value(row: Row) -> ScratchValue:
    agent, session, key, version, value, deleted, moment = row
    scope = Scope(agent, session)
    return ScratchValue(key, value, int(version), moment.replace(tzinfo=UTC), scope, deleted)
