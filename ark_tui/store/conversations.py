"""Conversations and their messages.

A message is a document of the collection `history`, in layer 1, with a row in `messages`. Its number orders
all messages, its sequence those of a conversation; neither is ever reused.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeAlias

from ark_tui.domain.documents import ChunkDraft, content_hash, document_id, text_hash
from ark_tui.domain.errors import Hint, NotFound, UsageError
from ark_tui.domain.layers import HISTORY, WORKING
from ark_tui.domain.memory import Conversation, Message, Role, Scope
from ark_tui.store import candidates, changes, erasure, links
from ark_tui.store.lease import Lease, among, of_many
from ark_tui.store.owners import in_scope

OF_CONVERSATION = "c.number, c.id, c.agent, c.session, c.created, c.title, c.closed"
LISTED = 12  # conversations listed in an error
TITLE = 60  # characters of a message in its title


@dataclass(frozen=True, slots=True)
class Incoming:
    """A message ready to be stored. `query`: its query id; empty: the latest one of the conversation.

    `moment`: when it was sent, in UTC without a time zone; None: now. `given`: further fields as JSON.
    """

    role: Role
    content: str
    query: str
    chunks: tuple[ChunkDraft, ...]
    name: str = ""
    tool_call_id: str = ""
    key: str = ""
    moment: datetime | None = None
    given: str = ""


Addition: TypeAlias = tuple[int, str, Sequence[Incoming]]
"""Messages for a conversation: its number, its id, and the messages."""

Known: TypeAlias = Mapping[int, tuple[int, str]]
"""The last sequence and query id of conversations, by number; sequence 0 if there are no messages."""


def create(lease: Lease, scope: Scope, id_: str, title: str = "") -> int:
    """Create a conversation; returns its number. Raises `UsageError` if the id exists."""
    if find(lease, scope, id_) is not None:
        raise UsageError(
            f"There is a conversation {id_} in {scope.name} already.", "Add to it, or choose another id."
        )
    return _begin(lease, scope, [(id_, title, lease.moment)])


def found_or_begun(
    lease: Lease, scope: Scope, wanted: Sequence[tuple[str, str, datetime | None]]
) -> dict[str, int]:
    """The numbers of conversations by id; missing ones are created, with title and time."""
    rows = lease.rows(
        "SELECT id, number FROM ark.conversations "
        "WHERE agent = ? AND session = ? AND id IN (SELECT unnest(?::VARCHAR[]))",
        *(scope.agent, scope.session, [id_ for id_, _, _ in wanted]),
    )
    known = {str(id_): int(number) for id_, number in rows}
    new = {id_: (id_, title, moment or lease.moment) for id_, title, moment in wanted if id_ not in known}
    if new:
        first = _begin(lease, scope, [*new.values()])
        known |= {id_: first + place for place, id_ in enumerate(new)}
    return known


def _begin(lease: Lease, scope: Scope, new: Sequence[tuple[str, str, datetime]]) -> int:
    """Create conversations with these ids, titles and times; returns the number of the first."""
    if not lease.value("SELECT 1 FROM ark.collections WHERE name = ?", HISTORY):
        lease.run("INSERT INTO ark.collections VALUES (?, NULL, NULL)", HISTORY)
    first = lease.take("conversation", len(new))
    rows = [
        (first + place, scope.agent, scope.session, id_, moment, 0, "", title)
        for place, (id_, title, moment) in enumerate(new)
    ]
    lease.insert("conversations", rows)
    return first


def find(lease: Lease, scope: Scope, id_: str) -> int | None:
    """The number of a conversation in a scope; None if it does not exist."""
    return lease.number(
        "SELECT number FROM ark.conversations WHERE agent = ? AND session = ? AND id = ?",
        scope.agent,
        scope.session,
        id_,
    )


def numbers(lease: Lease, scope: Scope, id_: str = "") -> list[int]:
    """The conversations of a scope, or those of them with this id. Raises `NotFound` for an unknown id."""
    own, whose = in_scope(scope)
    rows = lease.rows(f"SELECT number, id FROM ark.conversations WHERE {own} ORDER BY number", *whose)
    found = [int(number) for number, name in rows if id_ in ("", name)]
    if id_ and not found:
        raise unknown(id_, scope, [str(name) for _, name in rows])
    return found


def total(lease: Lease) -> int:
    """The number of conversations in all scopes."""
    return lease.count("SELECT count(*) FROM ark.conversations")


def keys(lease: Lease, scope: Scope) -> dict[str, set[str]]:
    """The keys of the messages in a scope, by conversation id."""
    found: dict[str, set[str]] = {}
    for id_, key in lease.rows(
        "SELECT c.id, m.key FROM ark.conversations c JOIN ark.messages m ON m.conversation = c.number "
        "WHERE c.agent = ? AND c.session = ? AND m.key <> ''",
        scope.agent,
        scope.session,
    ):
        found.setdefault(str(id_), set()).add(str(key))
    return found


def unknown(id_: str, scope: Scope, known: Sequence[str]) -> NotFound:
    """The error for an unknown conversation; it lists the known ones."""
    more = ", …" if len(known) > LISTED else ""
    listed = f"Conversations: {', '.join(known[:LISTED])}{more}." if known else "There is none yet."
    return NotFound(
        f"There is no conversation {id_} in {scope.name}.",
        Hint.run("history conversations create", id_, say=f"{listed} Begin one: {{}}."),
    )


def conversations(lease: Lease, scope: Scope, id_: str = "") -> list[Conversation]:
    """The conversations of a scope with their sizes, oldest first."""
    wanted = numbers(lease, scope, id_)
    rows = lease.rows(
        f"""SELECT {OF_CONVERSATION}, coalesce(m.count, 0)
            FROM ark.conversations c
            LEFT JOIN (SELECT conversation, count(*) AS count FROM ark.messages
                       WHERE conversation {among(wanted)} GROUP BY 1) m ON m.conversation = c.number
            WHERE c.number {among(wanted)} ORDER BY c.number"""
    )
    return [conversation(row[:-1], row[-1]) for row in rows]


def conversation(row: Sequence[Any], size: int) -> Conversation:
    """A conversation of `size` messages from its columns `OF_CONVERSATION`."""
    number, id_, agent, session, created, title, closed = row
    scope, since = Scope(agent, session), created.replace(tzinfo=UTC)
    return Conversation(id_, scope, since, int(size), int(number), title, closed or None)


def append_all(lease: Lease, scope: Scope, talks: Sequence[Addition]) -> list[Message]:
    """Append messages to conversations, each at most once, with a fixed number of statements.

    Messages whose key exists are left out; returns the new ones.
    """
    rows = lease.rows(
        f"SELECT number, last, query FROM ark.conversations WHERE number {among(talk[0] for talk in talks)}"
    )
    known = {int(number): (int(last), str(query)) for number, last, query in rows}
    new = list(_numbered(_new(lease, talks, known), known))
    if not new:
        return []
    chunks = sum(len(one.chunks) for *_, one in new)
    lasts = {number: (sequence, asks) for number, _, sequence, asks, _ in new}
    lease.run(
        "UPDATE ark.conversations c SET last = w.last, query = w.query, closed = false FROM (SELECT "
        "unnest(?::BIGINT[]) AS number, unnest(?::INTEGER[]) AS last, unnest(?::VARCHAR[]) AS query) w "
        "WHERE c.number = w.number",
        [*lasts], *map(list, zip(*lasts.values(), strict=True)),
    )  # fmt: skip
    first, now = lease.take("document", len(new)), lease.moment
    chunk, change = (lease.take(name, chunks) if chunks else 0 for name in ("chunk", "message"))
    documents, spoken, found = [], [], []
    parts: list[tuple[Any, ...]] = []
    for document, (number, id_, sequence, asks, one) in enumerate(new, first):
        name, digest = document_id(HISTORY, str(number), str(sequence)), content_hash(one.content.encode())
        sent = one.moment or now
        documents.append((
            document, name, HISTORY, HISTORY, f"{id_}/{sequence}", "", _title(one), False, one.role, "raw",
            "", "text", sent.date(), "given", source(number), sequence, "", digest, one.content, now, now,
            None, WORKING, now, scope.agent, scope.session, "", "",
        ))  # fmt: skip
        spoken.append((
            document, number, sequence, asks, one.role, sent, one.name, one.tool_call_id, one.key, one.given,
        ))  # fmt: skip
        for ordinal, part in enumerate(one.chunks):
            text = one.content[part.start_char : part.end_char]
            parts.append((
                chunk + len(parts), document, ordinal, part.start_char, part.end_char, part.start_line,
                part.end_line, part.tokens, part.heading, part.kind, part.language,
                digest if text == one.content else text_hash("", text),
            ))  # fmt: skip
        found.append(Message(
            name, id_, asks, one.role, one.content, sequence, sent.replace(tzinfo=UTC), scope, one.name,
            one.tool_call_id, _given(one.given),
        ))  # fmt: skip
    lease.insert("documents", documents)
    lease.insert("messages", spoken)
    lease.insert("chunks", parts)
    changes.arrived(lease, range(chunk, chunk + chunks), change, "messages")
    return found


def _numbered(talks: Sequence[Addition], known: Known) -> Iterator[tuple[int, str, int, str, Incoming]]:
    """The new messages with number and id of their conversation, sequence and query id."""
    for number, id_, said in talks:
        last, asks = known[number]
        for sequence, one in enumerate(said, last + 1):
            asks = one.query or asks
            yield number, id_, sequence, asks, one


def page(
    lease: Lease,
    wanted: Collection[int],
    *,
    query: str = "",
    limit: int | None = None,
    offset: int = 0,
    newest: bool = False,
) -> list[Message]:
    """Messages of conversations in chronological order; within a conversation, in its own order.

    `newest`: count the page from the end.
    """
    if limit == 0:
        return []
    columns = ("document",) if len(wanted) == 1 else ("moment", "document")
    order = ", ".join(f"{name} {'DESC' if newest else 'ASC'}" for name in columns)
    asked, values = _asked(query)
    select = (
        f"SELECT document FROM ark.messages WHERE conversation {among(wanted)} AND {asked} "
        f"ORDER BY {order} LIMIT ? OFFSET ?"
    )
    found = lease.numbers(select, *values, limit, offset)
    return messages(lease, found[::-1] if newest else found)


def _asked(query: str) -> tuple[str, tuple[str, ...]]:
    """The SQL condition for messages with a query id (empty: all), with its values."""
    return ("query = ?", (query,)) if query else ("true", ())


def count(lease: Lease, wanted: Collection[int], query: str = "") -> int:
    """The number of messages in conversations."""
    asked, values = _asked(query)
    return lease.count(
        f"SELECT count(*) FROM ark.messages WHERE conversation {among(wanted)} AND {asked}", *values
    )


def messages(lease: Lease, documents: Sequence[int]) -> list[Message]:
    """Messages by document number, in that order; missing ones are left out."""
    known = by_number(lease, documents)
    return [known[number] for number in documents if number in known]


def by_number(lease: Lease, documents: Sequence[int]) -> dict[int, Message]:
    """As `messages`, as a dictionary by document number."""
    texts = {
        int(number): (str(id_), str(body))
        for number, id_, body in lease.rows(
            f"SELECT number, id, body FROM ark.documents WHERE number {among(documents)}"
        )
    }
    mine, *values = of_many("m.document", documents)
    rows = lease.rows(
        f"SELECT m.document, {changes.OF_MESSAGE} FROM ark.messages m "
        f"JOIN ark.conversations c ON c.number = m.conversation WHERE {mine}",
        *values,
    )
    return {int(row[0]): message(row[1:], *texts[int(row[0])]) for row in rows if int(row[0]) in texts}


def expired(lease: Lease, scope: Scope, before: datetime) -> list[int]:
    """The documents of messages in a scope that were stored at or before a time, whenever they were sent."""
    return lease.numbers(
        f"SELECT m.document FROM ark.messages m JOIN ark.documents d ON d.number = m.document "
        f"WHERE d.since <= ? AND m.conversation {among(numbers(lease, scope))} ORDER BY m.document",
        before,
    )


def size(lease: Lease, documents: Sequence[int]) -> int:
    """The size of documents' texts in bytes."""
    return lease.count(
        "SELECT coalesce(sum(strlen(body)), 0) FROM ark.documents "
        "WHERE number IN (SELECT unnest(?::BIGINT[]))",
        list(documents),
    )


def of_document(lease: Lease, number: int) -> Message | None:
    """The message of a document; None if it is not a message. Links can refer to it from now on."""
    found = messages(lease, [number])
    if not found:
        return None
    if not lease.value("SELECT 1 FROM ark.names WHERE document = ?", number):
        lease.insert("names", [(number, HISTORY, links.fold(found[0].id), 3)])
    return found[0]


def forget(lease: Lease, documents: Iterable[int]) -> int:
    """Permanently delete messages with all rows about them; returns their number."""
    gone = list(documents)
    if not gone:
        return 0
    chunks = lease.rows("SELECT number FROM ark.chunks WHERE document IN (SELECT unnest(?::BIGINT[]))", gone)
    changes.log(lease, (int(row[0]) for row in chunks), gone=True, stream="messages")
    erasure.note(lease, "messages", len(gone))
    candidates.forget_messages(lease, gone)
    erasure.forget(lease, gone)
    links.forget(lease, gone)
    for table in ("chunks", "names", "tags", "links", "accesses", "moves", "messages"):
        lease.delete(table, "document", gone)
    lease.delete("documents", "number", gone)
    return len(gone)


def close(lease: Lease, number: int) -> None:
    """Mark a conversation as closed."""
    lease.run("UPDATE ark.conversations SET closed = true WHERE number = ?", number)


def delete(lease: Lease, number: int) -> int:
    """Permanently delete a conversation and its messages; returns the number of messages."""
    documents = lease.numbers("SELECT document FROM ark.messages WHERE conversation = ?", number)
    forget(lease, documents)
    lease.run("DELETE FROM ark.conversations WHERE number = ?", number)
    return len(documents)


def source(number: int) -> str:
    """The `source` of the documents of a conversation's messages."""
    return f"conversation:{number}"


def _new(lease: Lease, talks: Sequence[Addition], known: Known) -> list[Addition]:
    """The conversations with their new messages: those without a key, or with a new one; each key once."""
    keys = [(number, one.key) for number, _, said in talks if known[number][0] for one in said if one.key]
    seen: set[tuple[int, str]] = set()
    if keys:
        rows = lease.rows(
            "SELECT m.conversation, m.key FROM ark.messages m JOIN (SELECT unnest(?::BIGINT[]) AS talk, "
            "unnest(?::VARCHAR[]) AS key) w ON m.conversation = w.talk AND m.key = w.key",
            [number for number, _ in keys],
            [key for _, key in keys],
        )
        seen = {(int(number), str(key)) for number, key in rows}
    found: list[Addition] = []
    for number, id_, said in talks:
        new = []
        for one in said:
            if not one.key or (number, one.key) not in seen:
                new.append(one)
                seen.add((number, one.key))
        if new:
            found.append((number, id_, new))
    return found


def _given(text: str) -> dict[str, Any] | None:
    return json.loads(text) if text else None


def _title(one: Incoming) -> str:
    """The title of a message: its role and its beginning."""
    beginning = " ".join(one.content[: 2 * TITLE].split())
    return f"{one.role}: {beginning[:TITLE]}{'…' if len(beginning) > TITLE else ''}".removesuffix(": ")


def message(row: Sequence[Any], id_: str, content: str) -> Message:
    """A message from its columns `changes.OF_MESSAGE`, and the id and text of its document."""
    conversation, query, role, sequence, moment, agent, session, name, tool_call_id, given = row
    return Message(
        id_, conversation, query, role, content, sequence, moment.replace(tzinfo=UTC), Scope(agent, session),
        name, tool_call_id, _given(given),
    )  # fmt: skip
