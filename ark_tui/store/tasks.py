"""Tasks, in the order that the user gives them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import UTC, date, datetime

from ark_tui.domain.memory import Scope, Task
from ark_tui.store.lease import Lease, Row
from ark_tui.store.owners import in_scope


def add(lease: Lease, scope: Scope, text: str, due: date | datetime | None, tags: tuple[str, ...]) -> Task:
    """Store a task at the end of its scope's list."""
    id_, place = lease.rows(
        "SELECT coalesce(max(id), 0) + 1, coalesce(max(place), 0) + 1 FROM ark.tasks "
        "WHERE agent = ? AND session = ?",
        *(scope.agent, scope.session),
    )[0]
    now = lease.now()
    task = Task(int(id_), text, "open", due, tags, float(place), now, now, scope)
    _insert(lease, task)
    return task


def put(lease: Lease, task: Task) -> Task:
    """Replace a task."""
    task = replace(task, changed=lease.now())
    lease.run(
        "DELETE FROM ark.tasks WHERE agent = ? AND session = ? AND id = ?",
        *(task.scope.agent, task.scope.session, task.id),
    )
    _insert(lease, task)
    return task


def get(lease: Lease, scope: Scope, id_: int) -> Task | None:
    """A task of a scope, in any state."""
    row = lease.row(
        "SELECT * FROM ark.tasks WHERE agent = ? AND session = ? AND id = ? AND state <> 'purged'",
        *(scope.agent, scope.session, id_),
    )
    return _task(row) if row else None


def tasks(lease: Lease, scope: Scope, states: Collection[str]) -> list[Task]:
    """The tasks of a scope in these states, in their order."""
    own, whose = in_scope(scope)
    rows = lease.rows(
        f"""SELECT * FROM ark.tasks
            WHERE {own} AND state IN (SELECT unnest(?::VARCHAR[]))
            ORDER BY agent, session, place, id""",
        *(*whose, list(states)),
    )
    return [_task(row) for row in rows]


def deleted(lease: Lease, scope: Scope) -> int:
    """The number of deleted tasks in a scope that can still be reopened."""
    return len(tasks(lease, scope, ["deleted"]))


def purge(lease: Lease, scope: Scope) -> int:
    """Permanently delete those tasks; returns their number. Their ids are not reused."""
    gone = tasks(lease, scope, ["deleted"])
    for task in gone:
        put(lease, replace(task, text="", state="purged", due=None, tags=()))
    return len(gone)


def place_before(lease: Lease, task: Task) -> float:
    """A position between a task and the one before it."""
    before = lease.value(
        "SELECT max(place) FROM ark.tasks WHERE agent = ? AND session = ? AND place < ?",
        *(task.scope.agent, task.scope.session, task.place),
    )
    return task.place - 1 if before is None else (float(before) + task.place) / 2


def _insert(lease: Lease, task: Task) -> None:
    # `Lease.insert` cannot pass a list of lists as a column
    lease.run(
        "INSERT INTO ark.tasks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        task.scope.agent, task.scope.session, task.id, task.text, task.state,
        task.due.isoformat() if task.due else "",
        list(task.tags), task.place, task.created.replace(tzinfo=None), task.changed.replace(tzinfo=None),
    )  # fmt: skip


def _due(text: str) -> date | datetime | None:
    if not text:
        return None
    return datetime.fromisoformat(text) if "T" in text else date.fromisoformat(text)


def _task(row: Row) -> Task:
    agent, session, id_, text, state, due, tags, place, created, changed = row
    return Task(
        int(id_), text, state, _due(due), tuple(tags), float(place), created.replace(tzinfo=UTC),
        changed.replace(tzinfo=UTC), Scope(agent, session),
    )  # fmt: skip
