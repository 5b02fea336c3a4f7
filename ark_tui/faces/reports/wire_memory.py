"""Memory as JSON, in the same manner as `wire`."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime
from typing import TYPE_CHECKING

from ark_tui.faces.reports import wire
from ark_tui.faces.reports.wire import Json

if TYPE_CHECKING:
    from ark_tui.domain.memory import (
        Conversation,
        Item,
        Message,
        Messages,
        Move,
        Purge,
        Scope,
        ScopeInfo,
        ScratchValue,
        Task,
    )


def moment(at: datetime) -> str:
    """A time in UTC, ISO 8601."""
    return at.isoformat().replace("+00:00", "Z")


def day(due: date | datetime | None) -> str | None:
    """A date or a time, ISO 8601."""
    return moment(due) if isinstance(due, datetime) else due.isoformat() if due else None


def scope(of: Scope) -> Json:
    """Whose memory."""
    return {"agent": of.agent, "session": of.session}


def scopes(found: Iterable[ScopeInfo]) -> Json:
    """The scopes that something is in, with how much."""
    return {
        "scopes": [
            {
                **scope(one.scope),
                "scratch": one.scratch,
                "tasks": one.tasks,
                "conversations": one.conversations,
                "messages": one.messages,
                "memories": one.items,
            }
            for one in found
        ]
    }


def scratch(value: ScratchValue) -> Json:
    """What stands, or stood, under a key."""
    return {
        "key": value.key,
        "value": None if value.deleted else value.value,
        "version": value.version,
        "deleted": value.deleted,
        "timestamp": moment(value.moment),
        **scope(value.scope),
    }


def scratch_values(values: Iterable[ScratchValue], name: str = "entries") -> Json:
    """A scratchpad, or under `versions` the past of a key."""
    return {name: [scratch(value) for value in values]}


def task(one: Task) -> Json:
    """Something to do; `due` is a date, or a time in UTC."""
    return {
        "id": str(one.id),
        "text": one.text,
        "state": one.state,
        "due": day(one.due),
        "tags": list(one.tags),
        "created": moment(one.created),
        "changed": moment(one.changed),
        **scope(one.scope),
    }


def tasks(found: Iterable[Task]) -> Json:
    """A list of tasks, in its order."""
    return {"tasks": [task(one) for one in found]}


def message(one: Message) -> Json:
    """A message as history lists it."""
    return {
        "id": one.id,
        "conversation_id": one.conversation_id,
        "query_id": one.query_id,
        "role": one.role,
        "content": one.content,
        "sequence": one.sequence,
        "timestamp": moment(one.timestamp),
        **scope(one.scope),
    }


def messages(page: Messages) -> Json:
    """A page of history."""
    return {
        "messages": [message(one) for one in page.messages],
        "total": page.total,
        "limit": page.limit,
        "offset": page.offset,
    }


def record(one: Message) -> Json:
    """A message as the conversation memory API has it."""
    return {
        "timestamp": moment(one.timestamp),
        "conversation_id": one.conversation_id,
        "query_id": one.query_id,
        "message": {"role": one.role, "content": one.content},
        "sequence": one.sequence,
    }


def conversation(one: Conversation) -> Json:
    """A conversation without its messages."""
    return {
        "conversation_id": one.id,
        "messages": one.messages,
        "created": moment(one.created),
        **scope(one.scope),
    }


def conversations(found: Iterable[Conversation]) -> Json:
    """The conversations of a scope."""
    return {"conversations": [conversation(one) for one in found]}


def item(one: Item) -> Json:
    """A memory that is no message; `until`: when its retention ends, null where it does not."""
    return {
        **wire.document(one.document),
        "layer": one.document.layer,
        "text": one.text,
        "since": moment(one.since) if one.since else None,
        "until": moment(one.until) if one.until else None,
        "retired": one.retired,
        "added": moment(one.added),
        "changed": moment(one.changed),
        **scope(one.scope),
    }


def items(found: Iterable[Item]) -> Json:
    """Memories that are no messages."""
    return {"memories": [item(one) for one in found]}


def move(one: Move) -> Json:
    """Why something has another tier, layer or status than before."""
    return {
        "axis": one.axis,
        "was": one.was,
        "became": one.became,
        "reason": one.reason,
        "agent": one.agent,
        "timestamp": moment(one.moment),
    }


def purge(found: Purge) -> Json:
    """What was, or would be, deleted for good."""
    return {
        "messages": found.messages,
        "memories": [item(one) for one in found.items],
        "notes": found.notes,
        "vectors": found.vectors,
        "bytes": found.bytes,
        "purged": found.done,
    }
