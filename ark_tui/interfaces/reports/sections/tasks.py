"""The tasks of all agents, open ones first."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

from ark_tui.domain.memory import EVERY, Scope, Task
from ark_tui.interfaces.reports import charts
from ark_tui.interfaces.reports.report import Block, Figure, paragraph, table
from ark_tui.interfaces.reports.sections import Asked

if TYPE_CHECKING:
    from ark_tui.engine import Engine

SOON = timedelta(days=7)
WHEN = ("overdue", "due within a week", "due later", "without a date", "done")

COLUMNS = {
    "id": int, "text": str, "state": str, "when": str, "due": str, "tags": str, "created": str, "scope": str,
}  # fmt: skip


def blocks(engine: Engine, _: Asked) -> Iterator[Block]:
    now = engine.now()
    tasks = [(_when(task, now), task) for task in engine.memory.tasks.list(Scope(EVERY, EVERY), all=True)]
    tasks.sort(key=lambda one: (WHEN.index(one[0]), one[1].scope.name, one[1].id))
    if tasks:
        counts = [(name, sum(when == name for when, _ in tasks)) for name in WHEN]
        yield Figure("when", "Tasks by when they are due", charts.bars(counts, "time"))
    else:
        yield paragraph("No tasks yet. `ark-tui tasks add` adds one.")
    rows = [
        (
            task.id, task.text, task.state, when, _spelled(task.due), " ".join(task.tags),
            f"{task.created:%Y-%m-%d}", task.scope.name,
        )
        for when, task in tasks
    ]  # fmt: skip
    several = len({task.scope for _, task in tasks}) > 1
    yield table("tasks", "Tasks", COLUMNS, rows, hidden=() if several else ("scope",))


def _when(task: Task, now: datetime) -> str:
    if task.state == "done":
        return "done"
    if task.due is None:
        return "without a date"
    late = task.due < now if isinstance(task.due, datetime) else task.due < now.date()
    if late:
        return "overdue"
    day = task.due.astimezone(UTC).date() if isinstance(task.due, datetime) else task.due
    return "due within a week" if day <= (now + SOON).date() else "due later"


def _spelled(due: date | datetime | None) -> str:
    if isinstance(due, datetime):
        return due.strftime("%Y-%m-%d %H:%M")
    return due.isoformat() if due else ""
