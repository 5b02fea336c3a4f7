"""The hand-written routes: conversations in the shapes of their API (requirement H2), search along links."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Self

from fastapi import Depends, Query, Request, Response
from pydantic import FailFast, Field, model_validator

from ark_tui.domain.memory import DEFAULT, Message, Role
from ark_tui.domain.transcripts import OtherRole, saying
from ark_tui.domain.wording import counted
from ark_tui.interfaces.http.server_state import (
    ONCE,
    AtPrincipal,
    AtScope,
    AtServer,
    Body,
    Limit,
    Line,
    Name,
    Number,
    Router,
    shown,
)
from ark_tui.operations import find
from ark_tui.operations.call import Call
from ark_tui.operations.encoding import Json, encoded


def _granted(principal: AtPrincipal, request: Request) -> None:
    if principal:
        principal.need("read" if request.method == "GET" else "write")


conversations = Router(tags=["conversations"], dependencies=[Depends(_granted)])

MOST = 10_000  # messages per request
SPOKEN = {"messages": [{"role": "user", "content": "Where do otters sleep?"}]}

Page = Annotated[int, Query(ge=0, le=1000)]


class NewConversation(Body):
    """A conversation to begin, under an id of one's own or a made one."""

    conversation_id: Name | None = None


class Said(Body):
    """A message as a program has it: in OpenAI's chat format, or of Anthropic's content blocks.

    `id`: the client's own; a second message of that id in a conversation is passed over. Whatever else it
    has is kept and given back.
    """

    role: Role | OtherRole
    content: str | tuple[str | dict[str, Any], ...] | None = None
    id: Annotated[str, Field(max_length=200)] = ""
    name: Annotated[str | None, Field(max_length=200)] = None
    tool_call_id: Annotated[str | None, Field(max_length=200)] = None
    timestamp: Annotated[str | float | None, Field(description="When it was said, else now.")] = None
    metadata: dict[str, Any] | None = None
    tool_calls: tuple[dict[str, Any], ...] | None = None
    function_call: dict[str, Any] | None = None
    refusal: str | None = None
    annotations: tuple[Any, ...] | None = None
    audio: dict[str, Any] | None = None
    reasoning: Any = None
    reasoning_content: str | None = None
    thinking: str | None = None
    type: str | None = None
    status: str | None = None
    model: str | None = None
    stop_reason: str | None = None
    stop_sequence: str | None = None
    usage: dict[str, Any] | None = None

    @model_validator(mode="after")
    def _said(self) -> Self:
        """Require content, except for roles of models and tools."""
        wordless = isinstance(self.content, str | None) and not (self.content or "").strip()
        if wordless and self.role not in ("assistant", "tool", "ai", "model", "function"):
            raise ValueError("it has no content")
        return self


class NewMessages(Body):
    """Messages for a conversation: all are kept, or none."""

    conversation_id: Name = DEFAULT
    query_id: str = ""
    messages: Annotated[tuple[Said, ...], Field(min_length=1, max_length=MOST), FailFast()]


@conversations.post(
    "/conversations", dependencies=ONCE, status_code=201, openapi_extra=shown({"conversation_id": "otters"})
)
def create_conversation(server: AtServer, scope: AtScope, wanted: NewConversation | None = None) -> Json:
    """Begin a conversation."""
    id_ = (wanted.conversation_id if wanted else None) or ""
    return {"conversation_id": server.engine.memory.conversations.create(scope, id_).id}


@conversations.get("/conversations")
def list_conversations(server: AtServer, scope: AtScope) -> Json:
    """The ids of the conversations, the oldest first."""
    return {"conversations": [one.id for one in server.engine.memory.conversations.list(scope)]}


@conversations.get("/conversations/{conversation_id}")
def get_conversation(server: AtServer, scope: AtScope, conversation_id: str) -> Json:
    """A conversation with all its messages."""
    found, messages = server.engine.memory.conversations.get(scope, conversation_id)
    return {"conversation_id": found.id, "messages": [_record(message) for message in messages]}


@conversations.delete("/conversations/{conversation_id}")
def delete_conversation(server: AtServer, scope: AtScope, conversation_id: str) -> Json:
    """Delete a conversation and its messages for good; the message names backups that may hold them."""
    count = server.engine.memory.conversations.delete(scope, conversation_id)
    backups = ", ".join(Path(place).name for place in server.engine.curation.remains())
    held = f" These may still hold them: {backups}." if backups else ""
    return {
        "status": "deleted",
        "message": f"Conversation {conversation_id} is gone, with {counted(count, 'message')}.{held}",
    }


@conversations.post("/messages", dependencies=ONCE, response_class=Response, openapi_extra=shown(SPOKEN))
def add_messages(server: AtServer, scope: AtScope, wanted: NewMessages) -> Response:
    """Add messages to a conversation; they are stored when this answers, with nothing, and 200."""
    said = [saying(message.model_dump(mode="json"), wanted.query_id) for message in wanted.messages]
    server.engine.memory.conversations.extend(scope, said, conversation=wanted.conversation_id)
    return Response()


@conversations.get("/messages")
def list_messages(
    server: AtServer,
    scope: AtScope,
    conversation_id: str = "",
    query_id: str = "",
    limit: Page = 100,
    offset: Annotated[Number, Query()] = 0,
) -> Json:
    """Messages in the order they were said, of one conversation or of all, page by page."""
    page = server.engine.memory.conversations.messages(
        scope, conversation=conversation_id, query_id=query_id, limit=limit, offset=offset
    )
    return {
        "messages": [_record(message) for message in page.messages],
        "total": page.total,
        "limit": page.limit,
        "offset": page.offset,
    }


def _record(one: Message) -> Json:
    told: Json = encoded(one)
    names = ("timestamp", "conversation_id", "query_id", "sequence")
    said: Json = {"role": one.role, "content": one.content, **(one.given or {})}
    if said["role"] == one.role:  # else the content blocks hold them
        said |= {name: told[name] for name in ("name", "tool_call_id") if name in told}
    return {**{name: told[name] for name in names}, "message": said}


class GraphSearch(Body):
    """A search that goes further along links."""

    query: Line
    hops: Annotated[int, Field(ge=1, le=5)] = 2
    limit: Limit = 10


knowledge = Router(tags=["knowledge"])


@knowledge.post("/graph-search", openapi_extra=shown({"query": "spectral gap", "hops": 2}))
def graph_search(server: AtServer, principal: AtPrincipal, wanted: GraphSearch) -> Json:
    """Search, and follow links further; what they lead to is listed, however weak."""
    with server.searches.one():
        call = Call(server.engine, principal=principal)
        with call.admitted():
            return encoded(find.search(call, **wanted.model_dump(), below=True))  # type: ignore[no-any-return]
