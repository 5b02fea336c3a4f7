"""Working memory and knowledge: scratchpad, tasks, history, facts, patterns, rules, contexts, outcomes."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import Field

from ark_tui.domain.memory import DEFAULT, Role
from ark_tui.domain.outcomes import Event, EventFilter
from ark_tui.faces.http.desk import (
    ONCE,
    AtDesk,
    AtScope,
    Body,
    Count,
    Line,
    Name,
    Number,
    Router,
    Whole,
)
from ark_tui.faces.reports import wire_knowledge, wire_memory
from ark_tui.faces.reports.wire import Json

router = Router(tags=["memory"])

Text = Annotated[str, Field(min_length=1)]
Tags = tuple[Name, ...]
Page = Annotated[int, Query(ge=0, le=1000)]
Offset = Annotated[Number, Query()]


class Value(Body):
    """What is to stand under a key."""

    value: Text


class NewMessage(Body):
    """A message for a conversation."""

    role: Role
    content: Text
    conversation_id: Name = DEFAULT
    query_id: str = ""


class NewFact(Body):
    """Something that holds."""

    text: Text
    source: str = ""
    tags: Tags = ()


class Reason(Body):
    """Why something is done; it is kept."""

    reason: str = ""


class NewPattern(Body):
    """A problem, and what solved it."""

    problem: Text
    solution: Text
    tags: Tags = ()


class NewDirective(Body):
    """A rule, for everywhere or for a scope."""

    kind: Literal["MUST", "NEVER", "PREFER", "AVOID"]
    text: Text
    scope: str = ""
    priority: Annotated[int, Field(ge=-1000, le=1000)] = 0


class Asked(Body):
    """What a context is wanted for."""

    query: Line
    budget: Annotated[int, Field(ge=100, le=100_000)] = 2000
    scopes: Tags = ()


class Report(Body):
    """Whether what was retrieved has worked."""

    retrieval_id: Name
    outcome: Literal["success", "failure"]
    patterns: Tags = ()


class NewEvent(Body):
    """Something that happened."""

    event_type: Name
    issue_number: Whole | None = None
    session_id: str = ""
    duration_ms: Count | None = None
    verdict: str = ""
    component_area: str = ""
    estimate: Literal["", "XS", "S", "M", "L", "XL"] = ""
    drift_count: Count | None = None
    model: str = ""
    agent_type: str = ""
    iteration_count: Count | None = None
    payload: dict[str, Any] | None = None
    query_id: str = ""


class Wanted(Body):
    """Which events are meant; `component_area` is the beginning of one, `since` takes words, too."""

    issue_number: Whole | None = None
    event_type: str = ""
    component_area: str = ""
    estimate: str = ""
    verdict: str = ""
    session_id: str = ""
    query_id: str = ""
    since: str = ""
    limit: Annotated[int, Field(ge=1, le=1000)] = 50
    aggregate: bool = False


class Remembered(Body):
    """A text to find again."""

    text: Text
    source: Name
    tier: Literal["raw", "doc"] = "raw"
    tags: Tags = ()
    github_issue: Whole | None = None


@router.get("/scratch")
def scratch_list(desk: AtDesk, scope: AtScope) -> Json:
    """Every key of the scratchpad with its value."""
    return wire_memory.scratch_values(desk.engine.memory.scratch.list(scope))


@router.get("/scratch/{key}")
def scratch_get(desk: AtDesk, scope: AtScope, key: str) -> Json:
    """What stands under a key."""
    return wire_memory.scratch(desk.engine.memory.scratch.get(scope, key))


@router.put("/scratch/{key}", dependencies=ONCE)
def scratch_set(desk: AtDesk, scope: AtScope, key: str, wanted: Value) -> Json:
    """Write under a key; what was there is kept as a version."""
    return wire_memory.scratch(desk.engine.memory.scratch.set(scope, key, wanted.value))


@router.delete("/scratch/{key}")
def scratch_delete(desk: AtDesk, scope: AtScope, key: str) -> Json:
    """Delete a key; its values are kept as versions."""
    return {"deleted": desk.engine.memory.scratch.delete(scope, key).key}


@router.get("/history")
def history_list(
    desk: AtDesk, scope: AtScope, conversation_id: str = "", limit: Page = 100, offset: Offset = 0
) -> Json:
    """Messages as a list, the latest page first."""
    page = desk.engine.memory.conversations.messages(
        scope, conversation=conversation_id, limit=limit, offset=offset, newest=True
    )
    return wire_memory.messages(page)


@router.post("/history", dependencies=ONCE, status_code=201)
def history_add(desk: AtDesk, scope: AtScope, wanted: NewMessage) -> Json:
    """Add a message."""
    message = desk.engine.memory.conversations.add(
        scope, wanted.role, wanted.content, conversation=wanted.conversation_id, query_id=wanted.query_id
    )
    return wire_memory.message(message)


@router.get("/history/search")
def history_search(
    desk: AtDesk,
    scope: AtScope,
    query: Annotated[Line, Query()],
    conversation_id: str = "",
    limit: Page = 100,
    offset: Offset = 0,
) -> Json:
    """Messages by their words, best first."""
    with desk.searches.one():
        page = desk.engine.memory.conversations.search(
            scope, query, conversation=conversation_id, limit=limit, offset=offset
        )
    return wire_memory.messages(page)


@router.get("/facts")
def facts_list(desk: AtDesk) -> Json:
    """The facts, the oldest first."""
    return wire_knowledge.facts(desk.engine.memory.facts())


@router.post("/facts", dependencies=ONCE, status_code=201)
def facts_add(desk: AtDesk, scope: AtScope, wanted: NewFact) -> Json:
    """Keep a fact."""
    kept = desk.engine.memory.add_fact(wanted.text, source=wanted.source, tags=wanted.tags, scope=scope)
    return wire_knowledge.fact(kept)


@router.get("/patterns")
def patterns_list(desk: AtDesk) -> Json:
    """The patterns, the surest first."""
    return wire_knowledge.patterns(desk.engine.memory.patterns())


@router.post("/patterns", dependencies=ONCE, status_code=201)
def patterns_add(desk: AtDesk, scope: AtScope, wanted: NewPattern) -> Json:
    """Keep a pattern."""
    kept = desk.engine.memory.add_pattern(wanted.problem, wanted.solution, tags=wanted.tags, scope=scope)
    return wire_knowledge.pattern(kept)


@router.get("/directives")
def directives_list(desk: AtDesk) -> Json:
    """The rules, in the order in which they count."""
    return wire_knowledge.directives(desk.engine.memory.directives())


@router.post("/directives", dependencies=ONCE, status_code=201)
def directives_add(desk: AtDesk, scope: AtScope, wanted: NewDirective) -> Json:
    """Keep a rule."""
    kept = desk.engine.memory.add_directive(
        wanted.kind, wanted.text, where=wanted.scope, priority=wanted.priority, scope=scope
    )
    return wire_knowledge.directive(kept)


@router.post("/memories/{ref}/revive")
def revive(desk: AtDesk, scope: AtScope, ref: str, wanted: Reason) -> Json:
    """Bring back what was retired of one's own facts, patterns, directives and other memories."""
    return wire_memory.item(desk.engine.memory.revive(ref, wanted.reason, scope))


@router.post("/context")
def context(desk: AtDesk, scope: AtScope, wanted: Asked) -> Json:
    """What is known about a query, as text for a model within a budget of tokens."""
    with desk.searches.one():
        found = desk.engine.memory.context(
            wanted.query, budget=wanted.budget, scopes=wanted.scopes, scope=scope
        )
    return wire_knowledge.context(found)


@router.post("/outcomes/report", dependencies=ONCE)
def outcome_report(desk: AtDesk, scope: AtScope, wanted: Report) -> Json:
    """Say whether what a context or search gave has worked."""
    found = desk.engine.memory.report_outcome(
        wanted.retrieval_id, wanted.outcome, patterns=wanted.patterns, scope=scope
    )
    return wire_knowledge.reported(found)


@router.post("/outcomes", dependencies=ONCE, status_code=201)
def outcome_record(desk: AtDesk, scope: AtScope, wanted: NewEvent) -> Json:
    """Record an event."""
    given = wanted.model_dump() | {"session_id": wanted.session_id or scope.session, "agent_id": scope.agent}
    return wire_knowledge.recorded(desk.engine.memory.record_outcome(Event(**given)))


@router.get("/outcomes")
def outcome_query(desk: AtDesk, wanted: Annotated[Wanted, Query()]) -> Json:
    """Events that match, the latest first; or what all of them have in common."""
    memory = desk.engine.memory
    asked = EventFilter(
        **wanted.model_dump(exclude={"since", "limit", "aggregate"}),
        since=memory.moment(wanted.since) if wanted.since else None,
    )
    if wanted.aggregate:
        return wire_knowledge.aggregate(memory.outcome_totals(asked))
    return wire_knowledge.events(memory.outcomes(asked, wanted.limit))


@router.post("/remember", dependencies=ONCE, status_code=201)
def remember(desk: AtDesk, scope: AtScope, wanted: Remembered) -> Json:
    """Keep a text that is to be found again; the same text from the same source is the same."""
    kept = desk.engine.memory.remember(
        wanted.text, wanted.source, tier=wanted.tier, tags=wanted.tags,
        github_issue=wanted.github_issue, scope=scope,
    )  # fmt: skip
    return wire_knowledge.remembered(kept)


@router.get("/memory-stats")
def memory_stats(desk: AtDesk, since: str = "") -> Json:
    """How much there is by tier, and what is new."""
    memory = desk.engine.memory
    return wire_knowledge.memory_stats(memory.stats(memory.moment(since) if since else None))
