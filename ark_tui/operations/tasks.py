"""Tasks: an ordered list for each agent and session."""

from __future__ import annotations

from typing import Annotated, Literal

from ark_tui.domain.memory import Task
from ark_tui.operations.call import Call
from ark_tui.operations.operation import Effect, Page, Param, operation, page
from ark_tui.operations.params import Number, Offset, Tags, Text
from ark_tui.operations.params import Page as Limit

One = Annotated[Number, Param("The number of a task.", example=3, least=1, metavar="ID", argument=True)]
Id = Annotated[One, Param(each=True)]
Due = Annotated[
    str,
    Param("When it is due, in UTC: a day, a time, or words such as tomorrow.", example="friday 17:00",
          metavar="WHEN"),
]  # fmt: skip


@operation(
    "tasks add", Effect.ADDS, example="ark-tui tasks add call Ann --due friday",
    route="POST /tasks", status=201, listed="tasks", scoped=True,
)  # fmt: skip
def add(
    call: Call,
    text: Annotated[Text, Param("What is to be done.", example="call Ann", argument=True, words=True)],
    due: Due = "",
    tags: Tags = (),
) -> Task:
    """Add a task to the end of the list."""
    return call.engine.memory.tasks.add(call.scope, text, due=due, tags=tags, local=call.local)


@operation(
    "tasks list", Effect.READS, example="ark-tui tasks list --tag home",
    route="GET /tasks", listed="tasks", scoped=True,
)  # fmt: skip
def list_(
    call: Call,
    all: Annotated[bool, Param("Include tasks that are done.", example=True)] = False,
    tag: Annotated[str, Param("Only those with this tag.", example="home", metavar="TAG")] = "",
    due: Annotated[
        str,
        Param("Only those due by then: a day, or words such as friday.", example="friday", metavar="WHEN"),
    ] = "",
    limit: Limit = 1000,
    offset: Offset = 0,
) -> Page[Task]:
    """List the open tasks in their order."""
    return page(call.engine.memory.tasks.list(call.scope, all=all, tag=tag, due=due), limit, offset)


@operation(
    "tasks done", Effect.SETS, example="ark-tui tasks done 3",
    route="POST /tasks/{id}/done", listed="tasks", scoped=True,
)  # fmt: skip
def done(call: Call, id: Id) -> Task:
    """Mark a task as done."""
    return call.engine.memory.tasks.done(call.scope, id)


@operation(
    "tasks reopen", Effect.SETS, example="ark-tui tasks reopen 3",
    route="POST /tasks/{id}/reopen", listed="tasks", scoped=True,
)  # fmt: skip
def reopen(call: Call, id: Id) -> Task:
    """Reopen a task that was done or deleted."""
    return call.engine.memory.tasks.reopen(call.scope, id)


@operation(
    "tasks edit", Effect.SETS, example="ark-tui tasks edit 3 call Ann --due monday",
    route="PATCH /tasks/{id}", listed="tasks", scoped=True,
)  # fmt: skip
def edit(
    call: Call,
    id: One,
    text: Annotated[
        Text | None,
        Param("What is to be done.", example="call Ann", argument=True, words=True),
    ] = None,
    due: Annotated[Due | None, Param("When it is due, in UTC; none: never.", example="monday")] = None,
    add_tags: Annotated[Tags, Param("Tag it; may be given several times.")] = (),
    drop_tags: Annotated[
        Tags, Param("Remove a tag from it; may be given several times.", option="--untag")
    ] = (),
    before: Annotated[
        Number | None, Param("Put it before this task.", example=1, least=1, metavar="ID")
    ] = None,
    state: Annotated[Literal["open", "done"] | None, Param("Whether it is done.")] = None,
) -> Task:
    """Change a task; what is not given stays."""
    tasks = call.engine.memory.tasks
    changed = tasks.edit(
        call.scope, id, text=text, due=due, add=add_tags, drop=drop_tags, before=before, local=call.local
    )
    if state and state != changed.state:
        changed = tasks.done(call.scope, id) if state == "done" else tasks.reopen(call.scope, id)
    return changed


@operation(
    "tasks delete", Effect.DESTROYS, example="ark-tui tasks delete 3",
    route="DELETE /tasks/{id}", listed="tasks", scoped=True,
)  # fmt: skip
def delete(call: Call, id: Id) -> Task:
    """Delete a task; `tasks reopen` brings it back."""
    return call.engine.memory.tasks.delete(call.scope, id)
