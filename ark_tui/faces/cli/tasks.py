"""Tasks as lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING

from ark_tui.faces.cli.output import WIDTH, Ink, Output, Piece
from ark_tui.faces.reports import wire_memory

if TYPE_CHECKING:
    from ark_tui.domain.memory import Scope, Task
    from ark_tui.engine import Engine
    from ark_tui.faces.cli.session import Session

LINES = 3  # of a task's text


def change(
    session: Session, ids: Sequence[int], act: Callable[[Engine, Scope, int], Task], *, as_json: bool
) -> None:
    """Do something to each of these tasks, and print what they are now."""
    with session.engine() as engine:
        scope = engine.memory.scope()
        changed = [act(engine, scope, number) for number in ids]
        show(changed, scope, engine.settings.clock.now().date(), as_json=as_json)


def show(tasks: Iterable[Task], scope: Scope, today: date, *, as_json: bool) -> None:
    """Print tasks, in their order."""
    out = Output()
    if as_json:
        out.document(wire_memory.tasks(tasks))
        return
    for task in tasks:
        for line in _lines(task, scope, today):
            out.line(*line)


def _lines(task: Task, scope: Scope, today: date) -> Iterator[tuple[Piece, ...]]:
    from ark_tui.faces.cli.layout import flow

    mark = {"open": "·", "done": "✓", "deleted": "×"}[task.state]
    number = f"{task.id:>4} {mark} "
    first, *others = flow(task.text, (), WIDTH - len(number), LINES)
    yield Ink(number, "faint"), *first
    for other in others:
        yield " " * len(number), *other
    about = [f"due {_due(task.due)}"] if task.due else []
    about += [f"#{tag}" for tag in task.tags]
    about += [] if scope.whole else [task.scope.name]
    late = task.state == "open" and task.due is not None and _day(task.due) < today
    if about:
        yield " " * len(number), Ink("  ".join(about), "bad" if late else "faint")


def _day(due: date | datetime) -> date:
    return due.date() if isinstance(due, datetime) else due


def _due(due: date | datetime) -> str:
    return f"{due:%Y-%m-%d %H:%M} UTC" if isinstance(due, datetime) else due.isoformat()
