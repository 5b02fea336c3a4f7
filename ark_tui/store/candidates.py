"""Candidates: a model's proposals with their quotes, and how far conversations have been processed.

A candidate is not a document and is in no index. For an accepted one, the value is stored in its item only.
When a message is permanently deleted, its candidates' text is deleted, too. A candidate has the owner and the
project of its future item, and is visible to the same viewers (`owners`).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from ark_tui.domain.memory import Scope
from ark_tui.domain.review import AGENT, OPEN, RETIRES, Accuracy, Candidate, Span, claim
from ark_tui.store import owners
from ark_tui.store.knowledge import SHARED
from ark_tui.store.lease import Lease, among

Place = tuple[int, int, int]
"""A document, and start and end of a passage in characters."""


class Spoken(NamedTuple):
    """An unprocessed message."""

    document: int
    sequence: int
    moment: datetime
    query: str


class Claim(NamedTuple):
    """A candidate with its claim as text."""

    number: int
    id: str
    kind: str
    state: str
    claim: str


class Open(NamedTuple):
    """A conversation with its unprocessed messages, in order."""

    number: int
    id: str
    scope: Scope
    closed: bool
    looked: int
    tries: int
    messages: tuple[Spoken, ...]


def open_conversations(lease: Lease, limit: int) -> list[Open]:
    """Conversations with unprocessed messages, oldest first; up to `limit` messages of each."""
    rows = lease.rows(
        """SELECT c.number, c.id, c.agent, c.session, c.closed, c.looked, c.tries,
                  m.document, m.sequence, m.moment, m.query
           FROM ark.conversations c JOIN ark.messages m ON m.conversation = c.number
           WHERE m.sequence > c.looked AND m.sequence <= c.looked + ? ORDER BY c.number, m.sequence""",
        limit,
    )
    found: dict[int, tuple[Any, list[Spoken]]] = {}
    for row in rows:
        found.setdefault(int(row[0]), (row[:7], []))[1].append(Spoken(*row[7:]))
    return [
        Open(int(number), id_, Scope(agent, session), closed, looked, tries, tuple(said))
        for (number, id_, agent, session, closed, looked, tries), said in found.values()
    ]


def reported(lease: Lease, queries: Collection[str], since: datetime) -> bool:
    """Whether an outcome was recorded for one of the queries since a time."""
    return bool(
        lease.value(
            "SELECT 1 FROM ark.events WHERE moment >= ? AND query_id <> '' "
            "AND query_id IN (SELECT unnest(?::VARCHAR[])) LIMIT 1",
            since,
            list(queries),
        )
    )


def taken_up(lease: Lease, conversation: int, before: int, upto: int) -> bool:
    """Mark a conversation as processed up to a message; False if another run has changed the mark."""
    if lease.number("SELECT looked FROM ark.conversations WHERE number = ?", conversation) != before:
        return False
    lease.run("UPDATE ark.conversations SET looked = ?, tries = 0 WHERE number = ?", upto, conversation)
    return True


def tried(lease: Lease, conversation: int) -> int:
    """Count an attempt at a stretch; returns the number of attempts."""
    lease.run("UPDATE ark.conversations SET tries = tries + 1 WHERE number = ?", conversation)
    return lease.count("SELECT tries FROM ark.conversations WHERE number = ?", conversation)


def add(
    lease: Lease,
    rows: Sequence[tuple[Any, ...]],
    places: Sequence[Sequence[Place]],
    whose: tuple[str, str] = SHARED,
) -> list[int]:
    """Store candidates as pending, by the columns from `id` to `session`; returns their numbers."""
    if not rows:
        return []
    first = lease.take("candidate", len(rows))
    moment = lease.moment
    numbers = [first + place for place in range(len(rows))]
    lease.insert("candidates", [
        (number, *row, "pending", "", False, moment, None, *whose)
        for number, row in zip(numbers, rows, strict=True)
    ])  # fmt: skip
    for number, several in zip(numbers, places, strict=True):
        rest(lease, number, several)
    return numbers


def rest(lease: Lease, number: int, places: Iterable[Place]) -> None:
    """Add quoted passages to a candidate."""
    lease.insert("candidate_spans", [(number, *place) for place in dict.fromkeys(places)])


def support(lease: Lease, number: int) -> None:
    """Count one more stretch that supports a candidate."""
    lease.run("UPDATE ark.candidates SET support = support + 1 WHERE number = ?", number)


def rejected(lease: Lease, digests: Collection[str]) -> set[str]:
    """The digests among these with a rejected candidate."""
    seen, viewer = _seen()
    rows = lease.rows(
        "SELECT DISTINCT digest FROM ark.candidates WHERE state = 'rejected' "
        f"AND digest IN (SELECT unnest(?::VARCHAR[])) AND {seen}",
        list(digests),
        *viewer,
    )
    return {str(digest) for (digest,) in rows}


def numbers(
    lease: Lease, scope: Scope, *, states: Sequence[str] = OPEN, kinds: Sequence[str] = (), ref: str = ""
) -> list[int]:
    """The candidates of a scope in these states; postponed ones last. `ref`: the start of the id."""
    (own, whose), (seen, viewer) = owners.in_scope(scope), _seen()
    return lease.numbers(
        f"""SELECT number FROM ark.candidates WHERE state IN (SELECT unnest(?::VARCHAR[]))
             AND (len(?::VARCHAR[]) = 0 OR kind IN (SELECT unnest(?::VARCHAR[])))
             AND starts_with(id, ?) AND {own} AND {seen}
           ORDER BY state = 'later', number""",
        *(list(states), list(kinds), list(kinds), ref),
        *whose,
        *viewer,
    )


def claims(
    lease: Lease, scope: Scope, *, states: Sequence[str] = OPEN, kinds: Sequence[str] = ()
) -> list[Claim]:
    """The claims of candidates, without their quotes; proposals to retire an item are left out."""
    rows = lease.rows(
        f"SELECT number, id, kind, state, value FROM ark.candidates WHERE relation <> '{RETIRES}' "
        f"AND number {among(numbers(lease, scope, states=states, kinds=kinds))} ORDER BY number"
    )
    return [
        Claim(int(number), id_, kind, state, claim(kind, json.loads(value)))
        for number, id_, kind, state, value in rows
    ]


def latest_decided(lease: Lease, scope: Scope) -> int | None:
    """The most recently decided candidate."""
    (own, whose), (seen, viewer) = owners.in_scope(scope), _seen()
    return lease.number(
        f"SELECT number FROM ark.candidates WHERE decided IS NOT NULL AND {own} "
        f"AND {seen} ORDER BY decided DESC, number DESC LIMIT 1",
        *whose,
        *viewer,
    )


def decide(lease: Lease, number: int, state: str, *, value: str, made: str = "", fresh: bool = False) -> None:
    """Store a decision on a candidate; `pending` reopens it."""
    lease.run(
        "UPDATE ark.candidates SET state = ?, value = ?, made = ?, fresh = ?, decided = ? WHERE number = ?",
        *(state, value, made, fresh, None if state == "pending" else lease.moment, number),
    )


def get(lease: Lease, wanted: Sequence[int]) -> list[Candidate]:
    """Candidates by number, in that order, with their quotes; hidden messages and items are left out."""
    seen, viewer = owners.visible("d")
    spans: dict[int, list[Span]] = {}
    for number, *about in lease.rows(
        f"""SELECT s.candidate, d.id, c.id, m.sequence, m.role, s.start_char, s.end_char,
                   substring(d.body, s.start_char + 1, s.end_char - s.start_char)
            FROM ark.candidate_spans s JOIN ark.documents d ON d.number = s.message
            JOIN ark.messages m ON m.document = s.message
            JOIN ark.conversations c ON c.number = m.conversation
            WHERE s.candidate {among(wanted)} AND {seen} ORDER BY s.candidate, s.message, s.start_char""",
        *viewer,
    ):
        spans.setdefault(int(number), []).append(Span(*about))
    rival_seen, of_rival = _seen("r")
    rows = {
        int(row[0]): row
        for row in lease.rows(
            f"""SELECT c.number, c.id, c.kind, c.value, c.relation, c.target,
                       coalesce(d.body, ''), coalesce(r.kind, ''), coalesce(r.value, '{{}}'), c.problems,
                       c.support, c.model, c.agent, c.session, c.state, c.made, c.fresh, c.proposed,
                       c.owner, c.project
                FROM ark.candidates c LEFT JOIN ark.candidates r ON r.id = c.target AND {rival_seen}
                LEFT JOIN ark.documents d
                  ON d.gone IS NULL AND d.id = coalesce(nullif(r.made, ''), c.target) AND {seen}
                WHERE c.number {among(wanted)}""",
            *of_rival,
            *viewer,
        )
    }
    return [_candidate(rows[number], spans.get(number, ())) for number in wanted if number in rows]


def accuracy(lease: Lease, scope: Scope) -> list[Accuracy]:
    """For each model the number of its proposals, by decision."""
    (own, whose), (seen, viewer) = owners.in_scope(scope), _seen()
    rows = lease.rows(
        f"""SELECT model, count(*), count(*) FILTER (state IN ('accepted', 'edited', 'merged')),
                  count(*) FILTER (state = 'rejected'), count(*) FILTER (problems <> '[]')
           FROM ark.candidates WHERE {own} AND {seen}
           GROUP BY 1 ORDER BY 1""",
        *whose,
        *viewer,
    )
    return [Accuracy(str(model), *map(int, counts)) for model, *counts in rows]


def of_digest(lease: Lease, digest: str) -> tuple[str, str] | None:
    """The id and state of the latest visible candidate with a digest."""
    seen, viewer = _seen()
    row = lease.row(
        f"SELECT id, state FROM ark.candidates WHERE digest = ? AND {seen} ORDER BY number DESC LIMIT 1",
        digest, *viewer,
    )  # fmt: skip
    return (str(row[0]), str(row[1])) if row else None


def named(lease: Lease, id_: str) -> list[int]:
    """The candidate with exactly this id, if any."""
    return lease.numbers("SELECT number FROM ark.candidates WHERE id = ?", id_)


def saying(lease: Lease, id_: str) -> int | None:
    """The candidate with this id, or the one from which the item with this id was made."""
    return lease.number(
        "SELECT number FROM ark.candidates WHERE id = ? OR made = ? ORDER BY number LIMIT 1", id_, id_
    )


def messages_of(lease: Lease, items: Sequence[int]) -> list[int]:
    """The messages that items derive from, by the quotes of their candidates or by links."""
    return lease.numbers(
        f"""SELECT DISTINCT m.document FROM ark.messages m WHERE m.document IN (
              SELECT s.message FROM ark.candidate_spans s JOIN ark.candidates c ON c.number = s.candidate
              JOIN ark.documents d ON d.id = c.made WHERE d.number {among(items)}
              UNION SELECT l.resolved FROM ark.links l JOIN ark.documents d ON d.number = l.document
              WHERE d.number {among(items)}
              UNION SELECT t.number FROM ark.links l JOIN ark.documents t ON t.id = l.target
              WHERE l.document {among(items)}) ORDER BY 1"""
    )


def concerned(lease: Lease, items: Sequence[int], messages: Sequence[int]) -> int:
    """The number of open candidates that quote these messages or propose to replace these items."""
    return lease.count(
        f"""SELECT count(*) FROM ark.candidates c WHERE c.state IN ('pending', 'later') AND (
              c.number IN (SELECT candidate FROM ark.candidate_spans WHERE message {among(messages)})
              OR (starts_with(c.model, '{AGENT} ')
                  AND c.target IN (SELECT id FROM ark.documents WHERE number {among(items)})))"""
    )


def forget_messages(lease: Lease, documents: Sequence[int]) -> None:
    """Delete the open candidates that quote deleted messages; of decided ones keep only the decision."""
    gone = lease.numbers(
        f"SELECT DISTINCT candidate FROM ark.candidate_spans WHERE message {among(documents)}"
    )
    if gone:
        these = among(gone)
        lease.run(f"DELETE FROM ark.candidates WHERE state IN ('pending', 'later') AND number {these}")
        lease.run(
            f"UPDATE ark.candidates SET value = '{{}}', problems = '[]', decided = NULL WHERE number {these}"
        )
        lease.run(f"DELETE FROM ark.candidate_spans WHERE candidate {these}")


def forget_items(lease: Lease, ids: Iterable[str]) -> None:
    """Delete the candidates of permanently deleted items, and agents' proposals to replace these items."""
    wanted = list(ids)
    lease.run(f"DELETE FROM ark.candidates WHERE target IN (SELECT unnest(?::VARCHAR[])) "
              f"AND starts_with(model, '{AGENT} ')", wanted)  # fmt: skip
    lease.run("DELETE FROM ark.candidate_spans WHERE candidate IN (SELECT number FROM ark.candidates "
              "WHERE made IN (SELECT unnest(?::VARCHAR[])))", wanted)  # fmt: skip
    lease.delete("candidates", "made", wanted, "VARCHAR")


def _seen(table: str = "") -> tuple[str, list[object]]:
    return owners.visible(table, said="agent IS NOT NULL")


def _candidate(row: Sequence[Any], spans: Sequence[Span]) -> Candidate:
    (number, id_, kind, value, relation, target, known, rival, says, problems, count, model, agent, session,
     state, made, fresh, proposed, owner, project) = row  # fmt: skip
    text = known or (claim(rival, json.loads(says)) if rival else "")
    values = json.loads(value)
    reason = values.pop("reason", "")
    return Candidate(
        id_, kind, values, relation, target, text, tuple(json.loads(problems)), int(count), model,
        Scope(agent, session), state, made, proposed.replace(tzinfo=UTC), tuple(spans), owner,
        project, int(number), fresh, reason,
    )  # fmt: skip
