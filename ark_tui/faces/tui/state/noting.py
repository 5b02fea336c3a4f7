"""What can be done in the notebook, each with what takes it back."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, TypeAlias

from ark_tui import operations
from ark_tui.domain.errors import UsageError
from ark_tui.faces.tui.state.wording import moment
from ark_tui.operations.page import WHOLE

if TYPE_CHECKING:
    from ark_tui.domain.memory import ScratchValue, Task
    from ark_tui.operations.call import Call

DUE = re.compile(r"(?:^|\s)due:\s*([^#]*)")
TAG = re.compile(r"(?:^|\s)#(\S+)")


@dataclass(frozen=True, slots=True)
class Noted:
    """What was done, in words, and the act that takes it back."""

    what: str
    back: Act


Act: TypeAlias = "Callable[[Call], Noted]"


def read(call: Call, *, every: bool) -> tuple[tuple[ScratchValue, ...], tuple[Task, ...]]:
    """What is on the pad, and the tasks: open ones first, then, of `every` task, those that are done."""
    pad = operations.scratch.list_(call, WHOLE)
    tasks = operations.tasks.list_(call, all=every, limit=WHOLE)
    return pad.items, tuple(sorted(tasks.items, key=lambda one: one.state == "done"))


# -- the pad -------------------------------------------------------------------------------------------


def put(line: str) -> Act:
    """Put a line `key value` on the pad."""
    key, _, value = line.strip().partition(" ")
    return keep(key, value.strip())


def keep(key: str, value: str) -> Act:
    """Put a value under a key."""

    def act(call: Call) -> Noted:
        if not value:
            raise UsageError("A key and a value are wanted.", "As in: plan ask Ann first")
        pad = operations.scratch.list_(call, WHOLE).items
        before = next((one for one in pad if one.key == key), None)
        kept = operations.scratch.set_(call, key, value)
        return Noted(f"Kept {kept.key}", drop(kept) if before is None else keep(key, before.value))

    return act


def drop(value: ScratchValue) -> Act:
    """Take a key off the pad."""

    def act(call: Call) -> Noted:
        operations.scratch.delete(call, value.key)
        return Noted(f"Deleted {value.key}", keep(value.key, value.value))

    return act


# -- tasks ---------------------------------------------------------------------------------------------


def add(line: str) -> Act:
    """Add a task as it is typed: `call Ann #home due:friday`."""
    text, due_, tags = _typed(line)

    def act(call: Call) -> Noted:
        task = operations.tasks.add(call, text, due_, tags)
        return Noted(f"Added task {task.id}", delete(task))

    return act


def edit(task: Task, line: str) -> Act:
    """Change a task to what is typed."""
    text, due_, tags = _typed(line)

    def act(call: Call) -> Noted:
        operations.tasks.edit(call, task.id, text, due_ or "none", add_tags=tags, drop_tags=task.tags)
        return Noted(f"Changed task {task.id}", _as_before(task, tags))

    return act


def _as_before(task: Task, tags: tuple[str, ...]) -> Act:
    def act(call: Call) -> Noted:
        operations.tasks.edit(
            call, task.id, task.text, due(task.due) or "none", add_tags=task.tags, drop_tags=tags
        )
        return Noted(f"Changed task {task.id}", edit(task, as_typed(task)))

    return act


def turn(task: Task) -> Act:
    """Tick a task off, or take it up again."""

    def act(call: Call) -> Noted:
        if task.state == "open":
            return Noted(f"Done: task {task.id}", turn(operations.tasks.done(call, task.id)))
        return Noted(f"Reopened task {task.id}", turn(operations.tasks.reopen(call, task.id)))

    return act


def delete(task: Task) -> Act:
    """Take a task off the list."""

    def act(call: Call) -> Noted:
        operations.tasks.delete(call, task.id)
        return Noted(f"Deleted task {task.id}", _bring_back(task))

    return act


def _bring_back(task: Task) -> Act:
    def act(call: Call) -> Noted:
        back = operations.tasks.reopen(call, task.id)
        if task.state == "done":
            back = operations.tasks.done(call, task.id)
        return Noted(f"Brought task {task.id} back", delete(back))

    return act


# -- how a task is typed -------------------------------------------------------------------------------


def due(when: date | datetime | None) -> str:
    """The day, with the time by the clock of this machine where there is one."""
    if when is None:
        return ""
    return moment(when) if isinstance(when, datetime) else when.isoformat()


def as_typed(task: Task) -> str:
    """A task as somebody would type it."""
    when = f"due:{due(task.due)}" if task.due else ""
    return " ".join(filter(None, [task.text, *(f"#{tag}" for tag in task.tags), when]))


def _typed(line: str) -> tuple[str, str, tuple[str, ...]]:
    """Text, due date in words, tags."""
    tags = tuple(TAG.findall(line))
    when = DUE.search(line)
    text = TAG.sub("", DUE.sub(" ", line))
    return " ".join(text.split()), when[1].strip() if when else "", tags
