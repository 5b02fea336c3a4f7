"""Contexts for models, with their memories and the outcomes of using them."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import UTC
from typing import TYPE_CHECKING

from ark_tui.domain.errors import Ambiguous, Hint, NotFound
from ark_tui.domain.outcomes import Application, Outcome
from ark_tui.store import owners

if TYPE_CHECKING:
    from ark_tui.domain.knowledge import Context
    from ark_tui.domain.memory import Scope
    from ark_tui.store.lease import Lease


def put(lease: Lease, one: Context, scope: Scope) -> None:
    """Store a context with its items; an existing one stays unchanged."""
    id_ = one.retrieval_id
    asked = id_, one.query, scope.agent, scope.session, one.at.replace(tzinfo=None)
    items = [
        (id_, rank, item.document.id, item.kind, item.similarity, item.recency, item.confidence)
        for rank, item in enumerate(one.items, start=1)
    ]
    lease.insert_new("contexts", "recalled", [(asked, items)])


def retrieval(lease: Lease, ref: str) -> tuple[str, tuple[str, ...]]:
    """The id of a context or search, given by its start, and the ids of its documents.

    Raises `NotFound` and `Ambiguous`.
    """
    name = ref.strip()
    own, agents = owners.said_by("agent")
    asked, _ = owners.said_by("json_extract_string(parameters, '$.request.agent')")
    rows = lease.rows(
        f"""SELECT id, 'context' FROM ark.contexts WHERE starts_with(id, ?) AND {own}
           UNION SELECT id, 'search' FROM ark.searches WHERE starts_with(id, ?)
             AND {asked} LIMIT 9""",
        *(name, *agents, name, *agents),
    )
    rows = [row for row in rows if row[0] == name] or rows
    if not rows or not name:
        raise NotFound(
            f"There is no retrieval {ref or '(empty)'}.",
            Hint.run(
                "history searches", say="It is the id of a context, or of a search; see which there are: {}."
            ),
        )
    if len(rows) > 1:
        raise Ambiguous(
            f"{ref} fits several retrievals.", f"Say which: {', '.join(str(row[0]) for row in rows)}"
        )
    id_, kind = rows[0]
    table, column = ("recalled", "context") if kind == "context" else ("answers", "search")
    given = lease.rows(f"SELECT document FROM ark.{table} WHERE {column} = ? ORDER BY rank", id_)
    return str(id_), tuple(str(row[0]) for row in given)


def applied(
    lease: Lease, retrieval_id: str, pattern: str, scope: Scope, outcome: Outcome | None
) -> Application:
    """Record that a pattern was used, with its outcome if known."""
    now = lease.now()
    made = Application(uuid.uuid4().hex[:12], retrieval_id, pattern, now, outcome)
    whose, moment = (scope.agent, scope.session), now.replace(tzinfo=None)
    row = (lease.take("application"), made.id, retrieval_id, pattern, *whose, moment, outcome or "")
    lease.insert("applications", [row])
    return made


def application(lease: Lease, id_: str) -> Application | None:
    """An application of a pattern, by its id."""
    row = lease.row("SELECT id, retrieval, pattern, moment, outcome FROM ark.applications WHERE id = ?", id_)
    if row is None:
        return None
    return Application(row[0], row[1], row[2], row[3].replace(tzinfo=UTC), row[4] or None)


def waiting(lease: Lease, retrieval_id: str) -> list[Application]:
    """The applications from a retrieval without an outcome."""
    rows = lease.rows(
        "SELECT id, pattern, moment FROM ark.applications "
        "WHERE retrieval = ? AND outcome = '' ORDER BY number",
        retrieval_id,
    )
    return [
        Application(id_, retrieval_id, pattern, moment.replace(tzinfo=UTC)) for id_, pattern, moment in rows
    ]


def settled(lease: Lease, retrieval_id: str) -> set[str]:
    """The ids of patterns of a retrieval with an outcome."""
    rows = lease.rows(
        "SELECT DISTINCT pattern FROM ark.applications WHERE retrieval = ? AND outcome <> ''", retrieval_id
    )
    return {str(pattern) for (pattern,) in rows}


def settle(lease: Lease, applications: Sequence[str], outcome: Outcome) -> None:
    """Set the outcome of applications, by their ids."""
    lease.run(
        "UPDATE ark.applications SET outcome = ? WHERE id IN (SELECT unnest(?::VARCHAR[]))",
        outcome,
        list(applications),
    )
