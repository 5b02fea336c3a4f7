"""Outcome events: stored in order of arrival, queried, and aggregated."""

from __future__ import annotations

import json
import uuid
from dataclasses import fields, replace
from datetime import UTC
from typing import Any

from ark_tui.domain.outcomes import Aggregate, Event, EventFilter
from ark_tui.store import owners
from ark_tui.store.lease import Lease, Row

GIVEN = tuple(field.name for field in fields(Event) if field.name not in ("id", "at"))
"""The fields that a reporter gives, in the order of the table's columns after `number`, `id` and `moment`."""
EQUAL = ("issue_number", "event_type", "estimate", "verdict", "session_id", "query_id")
AREAS = 10  # of the aggregate


def put(lease: Lease, event: Event) -> Event:
    """Store an event; returns it with its id and time."""
    kept = replace(event, id=uuid.uuid4().hex[:12], at=lease.now())
    payload = "" if event.payload is None else json.dumps(event.payload, ensure_ascii=False)
    given = [payload if name == "payload" else getattr(event, name) for name in GIVEN]
    assert kept.at is not None
    lease.insert("events", [(lease.take("event"), kept.id, kept.at.replace(tzinfo=None), *given)])
    return kept


def by_id(lease: Lease, id_: str) -> Event | None:
    """The event with this id."""
    row = lease.row("SELECT * FROM ark.events WHERE id = ?", id_)
    return _event(row) if row else None


def matching(lease: Lease, wanted: EventFilter, limit: int, offset: int = 0) -> list[Event]:
    """The matching events, latest first."""
    where, values = _where(wanted)
    rows = lease.rows(
        f"SELECT * FROM ark.events WHERE {where} ORDER BY number DESC LIMIT ? OFFSET ?",
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
        f"""SELECT * FROM ark.events
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
    _, id_, moment, *rest = row
    given = dict(zip(GIVEN, rest, strict=True))
    given["payload"] = json.loads(given["payload"]) if given["payload"] else None
    return Event(id=id_, at=moment.replace(tzinfo=UTC), **given)
