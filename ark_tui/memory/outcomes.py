"""Outcome events: validated, stored, queried and counted (M11)."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import cast

from ark_tui.domain.errors import UsageError
from ark_tui.domain.memory import Scope
from ark_tui.domain.outcomes import (
    ESTIMATES,
    FIRST_CONFIDENCE,
    REPORT,
    Aggregate,
    Application,
    Bin,
    Calibration,
    Event,
    EventFilter,
    Outcome,
    Reported,
    moved,
)
from ark_tui.memory import reporting
from ark_tui.store import Store, events, knowledge, requests

LONGEST = 500  # characters of a name
PAYLOAD = 1 << 20  # bytes of a payload as JSON
BINS = 10  # bins of equal width over 0…1
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
            raise UsageError(f"The limit {limit} is too small.", "Ask for at least one event.")
        with self._store.read() as lease:
            return tuple(events.matching(lease, wanted, limit))

    def totals(self, wanted: EventFilter) -> Aggregate:
        """The totals of all matching events."""
        with self._store.read() as lease:
            return events.aggregate(lease, wanted)

    def calibration(self) -> Calibration:
        """How well the confidence of patterns predicts their outcomes.

        Confidence is replayed from the first outcome, so each outcome is compared with the value before it.
        """
        with self._store.read() as lease:
            told = events.reported(lease, REPORT)
            silent = knowledge.silent(lease)
        believed: dict[str, tuple[float, int]] = {}
        seen: list[tuple[float, float]] = []
        for outcome, patterns in told:
            for pattern in patterns:
                confidence, tried = believed.get(pattern, (FIRST_CONFIDENCE, 0))
                seen.append((confidence, float(outcome == "success")))
                believed[pattern] = moved(confidence, tried, cast("Outcome", outcome)), tried + 1
        return _calibrated(seen, silent)

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


def _calibrated(seen: Sequence[tuple[float, float]], silent: int) -> Calibration:
    """Calibration figures from confidences and outcomes (1 or 0)."""
    if not seen:
        return Calibration(0, None, None, (), silent)
    count, bins = len(seen), []
    for place in range(BINS):
        here = [one for one in seen if min(int(one[0] * BINS), BINS - 1) == place]
        if here:
            means = (sum(values) / len(here) for values in zip(*here, strict=True))
            bins.append(Bin(place / BINS, (place + 1) / BINS, len(here), *means))
    brier = sum((confidence - outcome) ** 2 for confidence, outcome in seen) / count
    error = sum(one.outcomes * abs(one.confidence - one.success_rate) for one in bins) / count
    return Calibration(count, brier, error, tuple(bins), silent)


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
        raise UsageError(f"The {name} {value} is not valid.", "Give a whole number, 0 or more.")
