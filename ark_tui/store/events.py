"""Outcome events: stored in order of arrival, queried, and aggregated."""

from __future__ import annotations

import json
import uuid
from dataclasses import replace
from datetime import UTC
from typing import Any

from ark_tui.domain.outcomes import Aggregate, Event, EventFilter
from ark_tui.store import owners
from ark_tui.store.lease import Lease, Row

EVENT_COLUMNS = {
    "number": "BIGINT", "id": "VARCHAR", "moment": "TIMESTAMP", "event_type": "VARCHAR",
    "issue_number": "BIGINT", "session_id": "VARCHAR", "duration_ms": "BIGINT", "verdict": "VARCHAR",
    "component_area": "VARCHAR", "estimate": "VARCHAR", "drift_count": "BIGINT", "model": "VARCHAR",
    "agent_type": "VARCHAR", "iteration_count": "BIGINT", "payload": "VARCHAR", "query_id": "VARCHAR",
    "agent_id": "VARCHAR",
}  # fmt: skip
GIVEN = tuple(name for name in EVENT_COLUMNS if name not in ("number", "id", "moment", "payload"))
EQUAL = ("issue_number", "event_type", "estimate", "verdict", "session_id", "query_id")
AREAS = 10  # of the aggregate


def put(lease: Lease, event: Event) -> Event:
    """Store an event; returns it with its id and time."""
    kept = replace(event, id=uuid.uuid4().hex[:12], at=lease.now())
    assert kept.at is not None
    payload = "" if event.payload is None else json.dumps(event.payload, ensure_ascii=False)
    known = {
        "number": lease.take("event"),
        "id": kept.id,
        "moment": kept.at.replace(tzinfo=None),
        "payload": payload,
        **{name: getattr(event, name) for name in GIVEN},
    }
    lease.insert("events", EVENT_COLUMNS, [[known[name] for name in EVENT_COLUMNS]])
    return kept


def by_id(lease: Lease, id_: str) -> Event | None:
    """The event with this id."""
    names = ", ".join(("id", "moment", "payload", *GIVEN))
    row = lease.row(f"SELECT {names} FROM ark.events WHERE id = ?", id_)
    return _event(row) if row else None


def matching(lease: Lease, wanted: EventFilter, limit: int, offset: int = 0) -> list[Event]:
    """The matching events, latest first."""
    where, values = _where(wanted)
    names = ", ".join(("id", "moment", "payload", *GIVEN))
    rows = lease.rows(
        f"SELECT {names} FROM ark.events WHERE {where} ORDER BY number DESC LIMIT ? OFFSET ?",
        *(*values, limit, offset),
    )
    return [_event(row) for row in rows]


def count(lease: Lease, wanted: EventFilter) -> int:
    """The number of matching events."""
    where, values = _where(wanted)
    return lease.count(f"SELECT count(*) FROM ark.events WHERE {where}", *values)


def aggregate(lease: Lease, wanted: EventFilter) -> Aggregate:
    """The totals over all matching events."""
    where, values = _where(wanted)
    row = lease.row(
        f"SELECT count(*), avg(drift_count), avg(iteration_count) FROM ark.events WHERE {where}", *values
    )
    assert row
    return Aggregate(
        int(row[0]), row[1], row[2],
        dict(_counted(lease, "verdict", where, values)),
        dict(_counted(lease, "event_type", where, values)),
        tuple(_counted(lease, "component_area", where, values)[:AREAS]),
    )  # fmt: skip


def about(lease: Lease, domain: str, path_prefix: str, limit: int, *, without: str) -> list[Event]:
    """The latest events about a domain.

    An event matches if a part of its component area or the domain of its payload has this name, or if its
    component area is below the path. `without`: an event type to exclude.
    """
    seen, viewer = owners.said_by("agent_id")
    rows = lease.rows(
        f"""SELECT {", ".join(("id", "moment", "payload", *GIVEN))} FROM ark.events
            WHERE {seen} AND event_type <> ? AND (list_contains(string_split(lower(component_area), '/'), ?)
              OR (payload <> '' AND lower(json_extract_string(payload, '$.domain')) = ?)
              OR (? <> '' AND starts_with(component_area, ?)))
            ORDER BY number DESC LIMIT ?""",
        *viewer, without, domain.lower(), domain.lower(), path_prefix, path_prefix, limit,
    )  # fmt: skip
    return [_event(row) for row in rows]


def _where(wanted: EventFilter) -> tuple[str, list[Any]]:
    given = [(name, getattr(wanted, name)) for name in EQUAL]
    parts = [(f"{name} = ?", value) for name, value in given if value not in ("", None)]
    if wanted.component_area:
        parts.append(("starts_with(component_area, ?)", wanted.component_area))
    if wanted.since:
        parts.append(("moment >= ?", wanted.since.astimezone(UTC).replace(tzinfo=None)))
    return " AND ".join(part for part, _ in parts) or "true", [value for _, value in parts]


def _counted(lease: Lease, column: str, where: str, values: list[Any]) -> list[tuple[str, int]]:
    """The number of events for each value, most frequent first."""
    rows = lease.rows(
        f"SELECT {column}, count(*) FROM ark.events WHERE ({where}) AND {column} <> '' "
        "GROUP BY 1 ORDER BY 2 DESC, 1",
        *values,
    )
    return [(str(value), int(count)) for value, count in rows]


def _event(row: Row) -> Event:
    id_, moment, payload, *rest = row
    return Event(
        id=id_,
        at=moment.replace(tzinfo=UTC),
        payload=json.loads(payload) if payload else None,
        **dict(zip(GIVEN, rest, strict=True)),
    )
