"""Outcome events: validated, stored, queried and counted (M11)."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from ark_tui.domain.errors import UsageError
from ark_tui.domain.memory import Scope
from ark_tui.domain.outcomes import (
    ESTIMATES,
    Aggregate,
    Application,
    Event,
    EventFilter,
    Reported,
)
from ark_tui.memory import reporting
from ark_tui.store import Store, events, requests

LONGEST = 500  # characters of a name
PAYLOAD = 1 << 20  # bytes of a payload as JSON
MOST = 1 << 53  # whole numbers that JSON carries without loss

NAMES = (
    "event_type", "session_id", "verdict", "component_area", "model", "agent_type", "query_id", "agent_id",
)  # fmt: skip
COUNTS = ("issue_number", "duration_ms", "drift_count", "iteration_count")


class Outcomes:
    """The events of a home and the outcomes of retrievals. `settle` waits until retrievals are stored."""

    def __init__(self, store: Store, default: Scope, settle: Callable[[], object]) -> None:
        self._store = store
        self._default = default
        self._settle = settle

    def record(self, event: Event) -> Event:
        """Store an event; returns it with its id and time. Raises `UsageError` for an invalid one."""
        check(event)
        with self._store.write() as lease:
            return requests.once(
                lease, "record an event", [getattr(event, name) for name in (*events.GIVEN, "payload")],
                lambda: events.put(lease, event), lambda made: made.id,
                lambda id_: events.by_id(lease, id_),
            )  # fmt: skip

    def query(self, wanted: EventFilter, limit: int = 50) -> tuple[Event, ...]:
        """The matching events, latest first."""
        if limit < 1:
            raise UsageError(f"A limit of {limit} makes no sense.", "Ask for at least one event.")
        with self._store.read() as lease:
            return tuple(events.matching(lease, wanted, limit))

    def totals(self, wanted: EventFilter) -> Aggregate:
        """The totals of all matching events."""
        with self._store.read() as lease:
            return events.aggregate(lease, wanted)

    def apply(self, retrieval_id: str, pattern: str, scope: Scope | None = None) -> Application:
        """Record that a pattern of a retrieval is being used; `report` gives its outcome later."""
        self._settle()
        return reporting.apply(self._store, retrieval_id, pattern, scope or self._default)

    def report(
        self, retrieval_id: str, outcome: str, patterns: Sequence[str] = (), scope: Scope | None = None
    ) -> Reported:
        """Record whether the results of a retrieval worked; its patterns gain or lose confidence."""
        self._settle()
        return reporting.report(self._store, retrieval_id, outcome, scope or self._default, named=patterns)


def check(event: Event) -> None:
    """Raises `UsageError` for an invalid event."""
    if not event.event_type.strip():
        raise UsageError("An event needs a type.", "Say which: task_completed, validation, pr_merged …")
    for name in NAMES:
        _name(name, getattr(event, name))
    for name in COUNTS:
        _count(name, getattr(event, name))
    if event.estimate and event.estimate not in ESTIMATES:
        raise UsageError(f"{event.estimate} is no estimate.", f"Estimates: {', '.join(ESTIMATES)}.")
    try:
        size = len(json.dumps(event.payload, allow_nan=False).encode())
    except (TypeError, ValueError) as error:
        raise UsageError("The payload is not JSON.", f"It must be a JSON object: {error}.") from error
    if size > PAYLOAD:
        raise UsageError(f"The payload has {size:,} bytes.", f"At most {PAYLOAD:,} are kept with an event.")


def _name(name: str, value: str) -> None:
    if len(value) > LONGEST or not value.isprintable():
        raise UsageError(
            f"The {name} is not a name.",
            f"It is one line without control characters, at most {LONGEST} long.",
        )


def _count(name: str, value: int | None) -> None:
    if value is not None and not 0 <= value < MOST:
        raise UsageError(f"A {name} of {value} makes no sense.", "It is a whole number from 0 on.")
