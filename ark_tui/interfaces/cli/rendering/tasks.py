"""Tasks as lines."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING

from ark_tui.interfaces.cli.layout import flow
from ark_tui.interfaces.cli.output import WIDTH, Ink
from ark_tui.interfaces.cli.rendering import Lines, View, each

if TYPE_CHECKING:
    from ark_tui.domain.memory import Task

LINES = 3  # of a task's text


def _lines(view: View, task: Task) -> Lines:
    mark = {"open": "·", "done": "✓", "deleted": "×"}[task.state]
    number = f"{task.id:>4} {mark} "
    first, *others = flow(task.text, (), WIDTH - len(number), LINES)
    yield Ink(number, "faint"), *first
    for other in others:
        yield " " * len(number), *other
    about = [f"due {_due(task.due)}"] if task.due else []
    about += [f"#{tag}" for tag in task.tags]
    about += [] if view.call.scope.whole else [task.scope.name]
    today = view.call.engine.now().date()
    late = task.state == "open" and task.due is not None and _day(task.due) < today
    if about:
        yield " " * len(number), Ink("  ".join(about), "bad" if late else "faint")


def _day(due: date | datetime) -> date:
    return due.date() if isinstance(due, datetime) else due


def _due(due: date | datetime) -> str:
    return f"{due:%Y-%m-%d %H:%M} UTC" if isinstance(due, datetime) else due.isoformat()


RENDERERS = {
    "tasks list": each(_lines, "There is nothing to do: ark-tui tasks add SOMETHING"),
    **{f"tasks {verb}": each(_lines) for verb in ("add", "done", "reopen", "edit", "delete")},
}
