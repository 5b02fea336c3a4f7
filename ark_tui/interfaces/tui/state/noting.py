"""Edits in the notebook, each with its undo."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime
from typing import TypeAlias

from ark_tui import operations
from ark_tui.domain.errors import UsageError
from ark_tui.domain.memory import ScratchValue, Task
from ark_tui.interfaces.tui.state import strings
from ark_tui.interfaces.tui.state.client import Act, Client
from ark_tui.interfaces.tui.state.wording import moment
from ark_tui.operations.operation import WHOLE

DUE = re.compile(r"(?:^|\s)due:\s*([^#]*)")
TAG = re.compile(r"(?:^|\s)#(\S+)")


Typed: TypeAlias = tuple[str, str, tuple[str, ...]]
"""A task as it is typed: text, due date in words, tags."""


@dataclass(frozen=True, slots=True)
class Noted:
    """Description of an edit, and the act that undoes it."""

    what: str
    back: Act[Noted]


def read(client: Client, *, every: bool) -> tuple[tuple[ScratchValue, ...], tuple[Task, ...]]:
    """The scratchpad and the tasks: open ones first, then with `every` the completed ones."""
    pad = client.call(operations.scratch.list_, WHOLE)
    tasks = client.call(operations.tasks.list_, all=every, limit=WHOLE)
    return pad.items, tuple(sorted(tasks.items, key=lambda one: one.state == "done"))


def put(line: str) -> Act[Noted]:
    """Set a value from the line `key value`."""
    key, _, value = line.strip().partition(" ")
    return keep(key, value.strip())


def keep(key: str, value: str) -> Act[Noted]:
    """Set the value of a key."""

    def act(client: Client) -> Noted:
        if not value:
            raise UsageError(strings.SCRATCH_INCOMPLETE, "For example: plan ask Ann first")
        pad = client.call(operations.scratch.list_, WHOLE).items
        before = next((one for one in pad if one.key == key), None)
        kept = client.call(operations.scratch.set_, key, value)
        return Noted(f"Kept {kept.key}", drop(kept) if before is None else keep(key, before.value))

    return act


def drop(value: ScratchValue) -> Act[Noted]:
    """Delete a key."""

    def act(client: Client) -> Noted:
        client.call(operations.scratch.delete, value.key)
        return Noted(f"Deleted {value.key}", keep(value.key, value.value))

    return act


def add(line: str) -> Act[Noted]:
    """Add a task from a line such as `call Ann #home due:friday`."""
    text, due_, tags = _typed(line)

    def act(client: Client) -> Noted:
        task = client.call(operations.tasks.add, text, due_, tags)
        return Noted(f"Added task {task.id}", delete(task))

    return act


def edit(task: Task, line: str) -> Act[Noted]:
    """Replace a task with a typed line."""
    return _change(task.id, (task.text, due(task.due), task.tags), _typed(line))


def _change(id_: int, before: Typed, now: Typed) -> Act[Noted]:
    def act(client: Client) -> Noted:
        (text, when, tags), drop = now, before[2]
        client.call(operations.tasks.edit, id_, text, when or "none", add_tags=tags, drop_tags=drop)
        return Noted(f"Changed task {id_}", _change(id_, now, before))

    return act


def turn(task: Task) -> Act[Noted]:
    """Complete a task, or reopen it."""

    def act(client: Client) -> Noted:
        if task.state == "open":
            return Noted(f"Done: task {task.id}", turn(client.call(operations.tasks.done, task.id)))
        return Noted(f"Reopened task {task.id}", turn(client.call(operations.tasks.reopen, task.id)))

    return act


def delete(task: Task) -> Act[Noted]:
    """Delete a task."""

    def act(client: Client) -> Noted:
        client.call(operations.tasks.delete, task.id)
        return Noted(f"Deleted task {task.id}", _bring_back(task))

    return act


def _bring_back(task: Task) -> Act[Noted]:
    def act(client: Client) -> Noted:
        back = client.call(operations.tasks.reopen, task.id)
        if task.state == "done":
            back = client.call(operations.tasks.done, task.id)
        return Noted(f"Restored task {task.id}", delete(back))

    return act


def due(when: date | datetime | None) -> str:
    """The due date, with the local time if it has one."""
    if when is None:
        return ""
    return moment(when) if isinstance(when, datetime) else when.isoformat()


def as_typed(task: Task) -> str:
    """A task in the syntax in which it is typed."""
    when = f"due:{due(task.due)}" if task.due else ""
    return " ".join(filter(None, [task.text, *(f"#{tag}" for tag in task.tags), when]))


def _typed(line: str) -> Typed:
    tags = tuple(TAG.findall(line))
    when = DUE.search(line)
    text = TAG.sub("", DUE.sub(" ", line))
    return " ".join(text.split()), when[1].strip() if when else "", tags
