"""History: the messages of conversations."""

from __future__ import annotations

from typing import Annotated

from ark_tui.domain.memory import DEFAULT, Message, Messages, Role
from ark_tui.domain.wording import still_indexed
from ark_tui.operations.call import Call
from ark_tui.operations.operation import Effect, Page, Param, operation
from ark_tui.operations.params import Name, Offset, Query, Text
from ark_tui.operations.params import Page as Limit

Conversation = Annotated[
    str,
    Param("Only this conversation, by its id.", example="otters", most=200, option="--conversation",
          metavar="ID"),
]  # fmt: skip
QueryId = Annotated[str, Param(example="3fa9c1d2", most=200, metavar="ID")]


@operation(
    "history add", Effect.ADDS, example="ark-tui history add user where do otters sleep?",
    route="POST /history", status=201, scoped=True,
)  # fmt: skip
def add(
    call: Call,
    role: Annotated[Role, Param("Who said it.", example="user", argument=True)],
    content: Annotated[
        Text,
        Param("What was said.", example="where do otters sleep?", metavar="TEXT", argument=True, words=True),
    ],
    conversation_id: Annotated[
        Name,
        Param(
            "The conversation that it belongs to.", example="otters", option="--conversation", metavar="ID"
        ),
    ] = DEFAULT,
    query_id: Annotated[QueryId, Param("The query that it belongs to, else the latest.")] = "",
) -> Message:
    """Add a message to a conversation. The conversation `default` always exists.

    A user's message starts a new query; answers belong to it.
    """
    return call.engine.memory.conversations.add(
        call.scope, role, content, conversation=conversation_id, query_id=query_id
    )


@operation(
    "history list", Effect.READS, example="ark-tui history list -n 20 --conversation default",
    route="GET /history", listed="messages", scoped=True,
)  # fmt: skip
def list_(
    call: Call,
    conversation_id: Conversation = "",
    query_id: Annotated[QueryId, Param("Only what belongs to this query.")] = "",
    oldest: Annotated[bool, Param("Count from the beginning, not from the end.", example=True)] = False,
    limit: Limit = 100,
    offset: Offset = 0,
) -> Page[Message]:
    """List messages in their order: the latest ones, unless an offset is given."""
    found = call.engine.memory.conversations.messages(
        call.scope, conversation=conversation_id, query_id=query_id, limit=limit, offset=offset,
        newest=not oldest,
    )  # fmt: skip
    return _page(found)


@operation(
    "history search", Effect.READS, example="ark-tui history search otters type:user",
    route="GET /history/search", listed="messages", scoped=True, heavy=True,
)  # fmt: skip
def search(
    call: Call,
    query: Query,
    conversation_id: Conversation = "",
    limit: Limit = 20,
    offset: Offset = 0,
) -> Page[Message]:
    """Search messages by their words.

    The query can have a "phrase", -words and filters: type:ROLE for the author, before: and after: for the
    time.
    """
    return _page(
        call.engine.memory.conversations.search(
            call.scope, query, conversation=conversation_id, limit=limit, offset=offset
        )
    )


def _page(found: Messages) -> Page[Message]:
    return Page(found.messages, found.total, found.limit, found.offset, still_indexed(found.waiting))
