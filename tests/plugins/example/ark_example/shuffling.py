"""An operation."""

from __future__ import annotations

from ark_tui.domain.memory import Task
from ark_tui.operations.call import Call
from ark_tui.operations.operation import Effect, operation


@operation("tasks shuffle", Effect.READS, example="ark-tui tasks shuffle", listed="tasks", scoped=True)
def shuffle(call: Call) -> tuple[Task, ...]:
    """List the open tasks, the longest text first."""
    found = call.engine.memory.tasks.list(call.scope)
    return tuple(sorted(found, key=lambda task: -len(task.text)))
