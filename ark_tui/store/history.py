"""History by pages, the newest first. Only the rows of a page are read, and no text of a message."""

from __future__ import annotations

from datetime import UTC

from ark_tui.domain.errors import NotFound
from ark_tui.domain.memory import EVERY, Conversation, Scope
from ark_tui.domain.paging import Talk
from ark_tui.store.conversations import OF_CONVERSATION, conversation
from ark_tui.store.lease import Lease, among

OF_SCOPE = "(? = ? OR agent = ?) AND (? = ? OR session = ?)"


def talks(lease: Lease, scope: Scope, limit: int, offset: int) -> list[Talk]:
    """Conversations of a scope, the one that was added to last first."""
    rows = lease.rows(
        f"""SELECT {OF_CONVERSATION}, coalesce(m.count, 0),
                   coalesce(m.latest, c.created) AS latest, m.first
            FROM ark.conversations c
            LEFT JOIN (SELECT conversation, count(*) AS count, max(moment) AS latest, min(document) AS first
                       FROM ark.messages GROUP BY 1) m ON m.conversation = c.number
            WHERE {OF_SCOPE} ORDER BY latest DESC, c.number DESC LIMIT ? OFFSET ?""",
        *_of(scope), limit, offset,
    )  # fmt: skip
    beginnings = _titles(lease, [int(row[-1]) for row in rows if row[-1] is not None])
    return [
        Talk(conversation(of, size), latest.replace(tzinfo=UTC), of[5] or beginnings.get(first, ""))
        for *of, size, latest, first in rows
    ]


def row_of_talk(lease: Lease, scope: Scope, number: int) -> int | None:
    """Which row a conversation is among those of a scope; None where it is not."""
    return lease.number(
        f"""WITH known AS (
                SELECT c.number, coalesce(m.latest, c.created) AS latest FROM ark.conversations c
                LEFT JOIN (SELECT conversation, max(moment) AS latest FROM ark.messages GROUP BY 1) m
                ON m.conversation = c.number WHERE {OF_SCOPE}),
              listed AS (
                SELECT number, row_number() OVER (ORDER BY latest DESC, number DESC) - 1 AS row FROM known)
            SELECT row FROM listed WHERE number = ?""",
        *_of(scope),
        number,
    )


def talks_in_all(lease: Lease, scope: Scope) -> int:
    """How many conversations a scope has."""
    return lease.count(f"SELECT count(*) FROM ark.conversations WHERE {OF_SCOPE}", *_of(scope))


def place(lease: Lease, message: str) -> tuple[Conversation, int]:
    """The conversation that a message is in, and how many there are before it. Raises `NotFound`."""
    row = lease.row(
        f"""SELECT {OF_CONVERSATION}, m.document
           FROM ark.documents d JOIN ark.messages m ON m.document = d.number
           JOIN ark.conversations c ON c.number = m.conversation WHERE d.id = ?""",
        message,
    )
    if row is None:
        raise NotFound("The message is not there any more.", "Search for it again.")
    *of, document = row
    counts = lease.row(
        "SELECT count(*), count(*) FILTER (document < ?) FROM ark.messages WHERE conversation = ?",
        int(document), int(of[0]),
    )  # fmt: skip
    assert counts
    return conversation(of, counts[0]), int(counts[1])


def _titles(lease: Lease, documents: list[int]) -> dict[int, str]:
    rows = lease.rows(f"SELECT number, title FROM ark.documents WHERE number {among(documents)}")
    return {int(number): str(title) for number, title in rows}


def _of(scope: Scope) -> tuple[str, ...]:
    return (scope.agent, EVERY, scope.agent, scope.session, EVERY, scope.session)
