"""Outcomes: events, whether retrievals worked (M8, M11), and which documents were used (S8)."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from ark_tui.domain.errors import NotFound, UsageError
from ark_tui.domain.knowledge import PATTERN
from ark_tui.domain.memory import ACCESS_KINDS, Scope, choice
from ark_tui.domain.outcomes import (
    ESTIMATES,
    OUTCOMES,
    REPORT,
    Aggregate,
    Application,
    Change,
    Event,
    EventFilter,
    Outcome,
    Reported,
)
from ark_tui.memory import kinds, texts
from ark_tui.store import Lease, Store, contexts, documents, events, knowledge, requests, searches

LONGEST = 500  # characters of a name
PAYLOAD = 1 << 20  # bytes of a payload as JSON
MOST = 1 << 53  # whole numbers that JSON carries without loss

NAMES = (
    "event_type", "session_id", "verdict", "component_area", "model", "agent_type", "query_id", "agent_id",
)  # fmt: skip
CHANGED = ("pattern", "before", "after", "successes", "failures")  # of a change, without the title
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
                lease, "record an event", [getattr(event, name) for name in events.GIVEN],
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

    def apply(self, retrieval_id: str, pattern: str, scope: Scope | None = None) -> Application:
        """Record that a pattern of a retrieval is being used; `report` gives its outcome later."""
        self._settle()
        whose = texts.one(scope or self._default)
        with self._store.write() as lease:

            def make() -> Application:
                id_, given = contexts.retrieval(lease, retrieval_id)
                number = _among(lease, id_, given, pattern)
                known = knowledge.patterns(lease, [number])[number]
                return contexts.applied(lease, id_, known.document.id, whose, None)

            return requests.once(
                lease, "apply a pattern", [retrieval_id, pattern, whose.name], make, lambda made: made.id,
                lambda id_: contexts.application(lease, id_),
            )  # fmt: skip

    def report(
        self, retrieval_id: str, outcome: str, patterns: Sequence[str] = (), scope: Scope | None = None
    ) -> Reported:
        """Record whether the results of a retrieval worked, and update the confidence of its patterns (M8).

        These are the `patterns` named; else those applied without an outcome; else all of the retrieval.
        An outcome counts once per retrieval and pattern: a second report returns the first.
        """
        self._settle()
        unknown = f"{outcome or 'Nothing'} is not an outcome."
        came = choice(outcome, OUTCOMES, unknown, f"Say {' or '.join(OUTCOMES)}.")
        whose = texts.one(scope or self._default)
        with self._store.write() as lease:
            return requests.once(
                lease, "report an outcome", [retrieval_id, outcome, whose.name, patterns],
                lambda: _reported(lease, retrieval_id, came, whose, patterns), _ids,
                lambda ids: _again(lease, ids),
            )  # fmt: skip


def _reported(lease: Lease, retrieval_id: str, came: Outcome, whose: Scope, named: Sequence[str]) -> Reported:
    id_, given = contexts.retrieval(lease, retrieval_id)
    wanted = [_among(lease, id_, given, ref) for ref in named]
    used = _used(lease, id_, given, list(dict.fromkeys(wanted)), came, whose)
    before = events.matching(lease, EventFilter(event_type=REPORT, query_id=id_), 1)
    if before and not used:
        return Reported(id_, before[0].verdict, before[0])  # type: ignore[arg-type]  # as it was reported
    changes = tuple(kinds.learn(lease, number, came) for number in used)
    event = events.put(
        lease,
        Event(
            REPORT, verdict=came, query_id=id_, session_id=whose.session, agent_id=whose.agent,
            payload={"patterns": [change.pattern for change in changes]},
        ),
    )  # fmt: skip
    return Reported(id_, came, event, changes)


def _ids(made: Reported) -> list[Any]:
    """The ids of a report, to find it again."""
    changes = [[getattr(change, name) for name in CHANGED] for change in made.changes]
    return [made.retrieval_id, made.outcome, made.event.id, changes]


def _again(lease: Lease, ids: list[Any]) -> Reported | None:
    id_, came, event, changes = ids
    kept = events.by_id(lease, event)
    found = [(documents.by_id(lease, change[0]), change) for change in changes]
    told = (Change(title=known.title if known else "", **dict(zip(CHANGED, change, strict=True)))
            for known, change in found)  # fmt: skip
    return Reported(id_, came, kept, tuple(told)) if kept else None


def _used(
    lease: Lease, retrieval_id: str, given: Sequence[str], wanted: list[int], came: Outcome, scope: Scope
) -> list[int]:
    """The patterns that the outcome is about, each once, without those that have an outcome already.

    Their applications are closed.
    """
    done = contexts.settled(lease, retrieval_id)
    numbers = knowledge.by_id(lease, given)
    known = knowledge.patterns(lease, numbers)
    number_of = {one.document.id: number for number, one in known.items()}
    waiting = [
        one
        for one in contexts.waiting(lease, retrieval_id)
        if one.pattern in number_of and (not wanted or number_of[one.pattern] in wanted)
    ]
    contexts.settle(lease, [one.id for one in waiting], came)
    used = list(dict.fromkeys(number_of[one.pattern] for one in waiting if one.pattern not in done))
    fresh = [number for number in wanted if number not in used]
    if not wanted and not waiting:
        fresh = [number for number in numbers if number in known]
    fresh = [number for number in fresh if known[number].document.id not in done]
    for number in fresh:
        contexts.applied(lease, retrieval_id, known[number].document.id, scope, came)
    return used + fresh


def _among(lease: Lease, retrieval_id: str, given: Sequence[str], ref: str) -> int:
    """The number of a pattern of a retrieval. Raises `NotFound`, which lists its patterns."""
    number = knowledge.resolve(lease, ref, PATTERN)
    ours = knowledge.by_id(lease, given)
    if number not in ours:
        listed = ", ".join(pattern.document.short_id for pattern in knowledge.patterns(lease, ours).values())
        raise NotFound(
            f"{ref} is not in the result of {retrieval_id}.",
            f"Its patterns are {listed}." if listed else "It had no pattern.",
        )
    return number


def check(event: Event) -> None:
    """Raises `UsageError` for an invalid event."""
    if not event.event_type.strip():
        raise UsageError("An event needs a type.", "Say which: task_completed, validation, pr_merged …")
    for name in NAMES:
        _name(name, getattr(event, name))
    for name in COUNTS:
        value = getattr(event, name)
        if value is not None and not 0 <= value < MOST:
            raise UsageError(f"The {name} {value} is not valid.", "Give a whole number, 0 or more.")
    if event.estimate and event.estimate not in ESTIMATES:
        raise UsageError(f"{event.estimate} is not an estimate.", f"Estimates: {', '.join(ESTIMATES)}.")
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


class Accesses:
    """Records and counts accesses."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def note(self, agent: str, refs: Sequence[str], kind: str = "opened", retrieval: str = "") -> None:
        """Record that an agent opened, copied or cited documents. Raises `NotFound` and `UsageError`."""
        if kind not in ACCESS_KINDS:
            raise UsageError(f"There is no use {kind}.", f"There are {', '.join(ACCESS_KINDS)}.")
        with self._store.write() as lease:
            numbers = [documents.resolve(lease, ref) for ref in refs]
            searches.put_accesses(lease, texts.name(agent, "an agent"), numbers, kind, retrieval)

    def count(self, agent: str, ref: str) -> int:
        """The number of times that an agent accessed a document."""
        with self._store.read() as lease:
            number = documents.resolve(lease, ref)
            return searches.access_counts(lease, agent, [number]).get(number, 0)
