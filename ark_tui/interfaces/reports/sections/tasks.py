"""The tasks of all agents, open ones first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

from ark_tui.domain.memory import EVERY, Scope, Task
from ark_tui.interfaces.reports import charts
from ark_tui.interfaces.reports.report import Block, Column, Figure, Section, facts, listed, paragraph
from ark_tui.interfaces.reports.sections import Asked

if TYPE_CHECKING:
    from ark_tui.engine import Engine

SOON = timedelta(days=7)
WHEN = ("overdue", "due within a week", "due later", "without a date", "done")


def build(engine: Engine, asked: Asked) -> Section:  # noqa: ARG001 - every report is asked alike
    tasks = engine.memory.tasks.list(Scope(EVERY, EVERY), all=True)
    return Section("tasks", "Tasks", tuple(_blocks(tasks, engine.now())))


def _blocks(tasks: Sequence[Task], now: datetime) -> Iterator[Block]:
    if not tasks:
        yield paragraph("No tasks yet. `ark-tui tasks add` adds one.")
    counts = dict.fromkeys(WHEN, 0)
    for task in tasks:
        counts[_when(task, now)] += 1
    yield facts(*((name.capitalize(), f"{count:,}") for name, count in counts.items() if count))
    if tasks:
        yield Figure(
            "when",
            "Tasks by when they are due",
            "How many tasks are overdue, due soon, due later, without a date, and done.",
            charts.bars([(name, count) for name, count in counts.items()], "time"),
        )
    several = len({task.scope for task in tasks}) > 1
    yield listed(
        "tasks",
        "Tasks",
        [
            Column("id", "Id", "count"),
            Column("text", "Task", longest=300),
            Column("state", "State"),
            Column("when", "When", of=lambda task: _when(task, now)),
            Column("due", "Due", of=lambda task: _spelled(task.due)),
            Column("tags", "Tags", of=lambda task: " ".join(task.tags)),
            Column("created", "Since", of=lambda task: f"{task.created:%Y-%m-%d}"),
            Column("scope", "Whose", shown=several, of=lambda task: task.scope.name),
        ],
        sorted(tasks, key=lambda one: _order(one, now)),
        limit=200,
    )


def _order(task: Task, now: datetime) -> tuple[int, str, int]:
    """The sort key of a task: urgency, scope, id."""
    return WHEN.index(_when(task, now)), task.scope.name, task.id


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
