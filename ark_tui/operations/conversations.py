"""Conversations: messages that belong together."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from ark_tui.domain.errors import UsageError
from ark_tui.domain.memory import Conversation, Deleted, ImportedChats
from ark_tui.domain.wording import counted
from ark_tui.operations.call import Call
from ark_tui.operations.operation import Effect, Page, Param, operation, page
from ark_tui.operations.params import Name, Offset
from ark_tui.operations.params import Page as Limit

Id = Annotated[Name, Param("The id of a conversation.", example="otters", metavar="ID", argument=True)]


@operation(
    "conversations list", Effect.READS, command="history conversations",
    example="ark-tui history conversations --agent ALL --session ALL",
    route="GET /memory/conversations", listed="conversations", scoped=True,
)  # fmt: skip
def list_(call: Call, limit: Limit = 1000, offset: Offset = 0) -> Page[Conversation]:
    """List the conversations of the session, the oldest first."""
    return page(call.engine.memory.conversations.list(call.scope), limit, offset)


@operation(
    "conversations create", Effect.ADDS, command="history conversations create",
    example="ark-tui history conversations create otters",
    route="POST /memory/conversations", status=201, scoped=True,
)  # fmt: skip
def create(
    call: Call,
    id: Annotated[Id, Param("Its id; without it, one is made.", least=0, metavar="[ID]")] = "",
) -> Conversation:
    """Begin a conversation."""
    return call.engine.memory.conversations.create(call.scope, id)


@operation(
    "conversations close", Effect.SETS, command="history conversations close",
    example="ark-tui history conversations close otters",
    route="POST /memory/conversations/{id}/close", scoped=True,
)  # fmt: skip
def close(call: Call, id: Id) -> Conversation:
    """Close a conversation, so that it can be consolidated at once. A new message reopens it."""
    return call.engine.memory.conversations.close(call.scope, id)


@operation(
    "conversations delete", Effect.DESTROYS, command="history conversations delete",
    example="ark-tui history conversations delete otters --yes",
    route="DELETE /memory/conversations/{id}", scoped=True,
)  # fmt: skip
def delete(
    call: Call,
    id: Id,
    yes: Annotated[
        bool, Param("Do it. Without it, the command only shows what would be deleted.", example=True)
    ] = False,
) -> Deleted:
    """Delete a conversation with all its messages, for good.

    No file of the home has a byte of them afterwards but backups, which are named.
    """
    conversations = call.engine.memory.conversations
    if not yes:
        count = conversations.messages(call.scope, conversation=id, limit=0).total
        raise UsageError(
            f"{id} has {counted(count, 'message')}, which would be deleted for good.", "Say yes to do it."
        )
    count = conversations.delete(call.scope, id)
    return Deleted(id, count, call.engine.curation.remains())


@operation(
    "import", Effect.SETS, command="history import",
    example="ark-tui history import ~/Downloads/chatgpt-export.zip --dry-run",
    scoped=True, personal=True, begins=True, long=True,
)  # fmt: skip
def import_(
    call: Call,
    path: Annotated[
        Path,
        Param("The export: a file, an archive or a folder.", example="~/Downloads/export.zip", argument=True),
    ],
    dry_run: Annotated[bool, Param("Only show what would be imported.", example=True)] = False,
) -> ImportedChats:
    """Import chats that another program has exported.

    It reads exports of ChatGPT, Claude, Slack, WhatsApp, Telegram, Signal and Discord, session logs of Claude
    Code and Codex, mail (mbox, Maildir, .eml), and lists of messages in the format of a chat API. Importing
    again adds only new messages.
    """
    from ark_tui.memory import importing

    return importing.import_chats(
        call.engine.memory.conversations, path.expanduser(), call.scope, dry_run=dry_run, say=call.say,
        stop=call.stop, progress=call.progress,
    )  # fmt: skip
