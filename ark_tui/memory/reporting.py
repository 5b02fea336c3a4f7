"""Outcomes of retrievals (M8): patterns are applied, then reported as success or failure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ark_tui.domain.errors import NotFound, UsageError
from ark_tui.domain.knowledge import PATTERN
from ark_tui.domain.memory import Scope
from ark_tui.domain.outcomes import (
    OUTCOMES,
    REPORT,
    Application,
    Change,
    Event,
    EventFilter,
    Outcome,
    Reported,
)
from ark_tui.memory import kinds, texts
from ark_tui.store import Lease, Store, contexts, documents, events, knowledge, requests

CHANGED = ("pattern", "before", "after", "successes", "failures")  # of a change, without the title


def apply(store: Store, retrieval_id: str, pattern: str, scope: Scope) -> Application:
    """Record that a pattern of a retrieval is being used; `report` gives its outcome later."""
    whose = texts.one(scope)
    with store.write() as lease:

        def make() -> Application:
            id_, given = contexts.retrieval(lease, retrieval_id)
            number = _among(lease, id_, given, pattern)
            known = knowledge.patterns(lease, [number])[number]
            return contexts.applied(lease, id_, known.document.id, whose, None)

        return requests.once(
            lease, "apply a pattern", [retrieval_id, pattern, scope.name], make, lambda made: made.id,
            lambda id_: contexts.application(lease, id_),
        )  # fmt: skip


def report(
    store: Store, retrieval_id: str, outcome: str, scope: Scope, *, named: Sequence[str] = ()
) -> Reported:
    """Record whether the results of a retrieval worked, and update the confidence of its patterns.

    These are the patterns `named`; else those applied without an outcome; else all of the retrieval.
    An outcome counts once per retrieval and pattern: a second report returns the first.
    """
    came = _outcome(outcome)
    whose = texts.one(scope)
    with store.write() as lease:
        return requests.once(
            lease, "report an outcome", [retrieval_id, outcome, scope.name, named],
            lambda: _reported(lease, retrieval_id, came, whose, named), _ids,
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


def _outcome(named: str) -> Outcome:
    for known in OUTCOMES:
        if named.strip().lower() == known:
            return known
    raise UsageError(f"{named or 'Nothing'} is no outcome.", f"Say {' or '.join(OUTCOMES)}.")
