"""Tasks as lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING

from ark_tui.faces.cli.layout import flow
from ark_tui.faces.cli.output import WIDTH, Ink, Piece
from ark_tui.faces.cli.rendering import Renderer, View

if TYPE_CHECKING:
    from ark_tui.domain.memory import Task
    from ark_tui.operations.page import Page

LINES = 3  # of a task's text


def listed(view: View, pages: Sequence[Page[Task]]) -> None:
    """The tasks of a list."""
    shown(view, pages[0].items)
    if not pages[0].total:
        view.say.notice("There is nothing to do: ark-tui tasks add SOMETHING")


def shown(view: View, tasks: Sequence[Task]) -> None:
    """Tasks, in their order."""
    today = view.call.engine.now().date()
    for task in tasks:
        for line in _lines(task, today, whole=view.call.scope.whole):
            view.out.line(*line)


def _lines(task: Task, today: date, *, whole: bool) -> Iterator[tuple[Piece, ...]]:
    mark = {"open": "·", "done": "✓", "deleted": "×"}[task.state]
    number = f"{task.id:>4} {mark} "
    first, *others = flow(task.text, (), WIDTH - len(number), LINES)
    yield Ink(number, "faint"), *first
    for other in others:
        yield " " * len(number), *other
    about = [f"due {_due(task.due)}"] if task.due else []
    about += [f"#{tag}" for tag in task.tags]
    about += [] if whole else [task.scope.name]
    late = task.state == "open" and task.due is not None and _day(task.due) < today
    if about:
        yield " " * len(number), Ink("  ".join(about), "bad" if late else "faint")


def _day(due: date | datetime) -> date:
    return due.date() if isinstance(due, datetime) else due


def _due(due: date | datetime) -> str:
    return f"{due:%Y-%m-%d %H:%M} UTC" if isinstance(due, datetime) else due.isoformat()


RENDERERS = {
    "tasks list": Renderer(listed),
    **{f"tasks {verb}": Renderer(shown) for verb in ("add", "done", "reopen", "edit", "delete")},
}
