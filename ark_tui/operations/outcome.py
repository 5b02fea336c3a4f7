"""Outcomes: recorded events, and whether retrieved items have helped."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from ark_tui.domain.outcomes import Aggregate, Application, Event, EventFilter, Outcome, Reported
from ark_tui.operations.call import Call
from ark_tui.operations.operation import Effect, Page, Param, operation
from ark_tui.operations.params import Count, Name, Offset, Whole
from ark_tui.operations.params import Page as Limit

Issue = Annotated[
    Whole | None, Param("The issue that it belongs to.", example=42, option="--issue", metavar="NUMBER")
]
Size = Annotated[Literal["XS", "S", "M", "L", "XL"] | None, Param("How large it was thought to be.")]
Word = Annotated[str, Param(most=500)]
Retrieval = Annotated[
    Name,
    Param("The retrieval id of the context or search, or its beginning.", example="3fa9c1d2",
          metavar="RETRIEVAL", argument=True),
]  # fmt: skip


@operation(
    "outcome record", Effect.ADDS,
    example="ark-tui outcome record validation --issue 42 --verdict pass",
    route="POST /outcomes", status=201, scoped=True,
)  # fmt: skip
def record(
    call: Call,
    event_type: Annotated[
        Name, Param("What was done, in a word.", example="validation", metavar="TYPE", argument=True)
    ],
    issue_number: Issue = None,
    session_id: Annotated[
        Word,
        Param(
            "The session that it belongs to, else that of the call.",
            example="one",
            option="--session-id",
            metavar="NAME",
        ),
    ] = "",
    duration_ms: Annotated[
        Count | None, Param("How long it took, in milliseconds.", example=5000, metavar="MS")
    ] = None,
    verdict: Annotated[
        Word, Param("How it ended, such as pass or fail.", example="pass", metavar="TEXT")
    ] = "",
    component_area: Annotated[
        Word, Param("What it was about, such as src/auth.", example="src/auth", metavar="PATH")
    ] = "",
    estimate: Size = None,
    drift_count: Annotated[Count | None, Param("How often the plan had to change.", example=1)] = None,
    model: Annotated[Word, Param("The model that did it.", example="qwen3", metavar="NAME")] = "",
    agent_type: Annotated[
        Word, Param("The kind of agent that did it.", example="reviewer", metavar="NAME")
    ] = "",
    iteration_count: Annotated[Count | None, Param("How many rounds it took.", example=2)] = None,
    payload: Annotated[
        dict[str, Any] | None,
        Param("Anything else, as a JSON object.", example='{"pull_request": 7}', metavar="JSON"),
    ] = None,
    query_id: Annotated[
        Word, Param("The search, context or expert call before it.", example="3fa9c1d2", metavar="ID")
    ] = "",
) -> Event:
    """Record an event: what was done, and how it ended."""
    return call.engine.memory.outcomes.record(
        Event(
            event_type, issue_number, session_id or call.scope.session, duration_ms, verdict,
            component_area, estimate or "", drift_count, model, agent_type, iteration_count, payload,
            query_id, call.scope.agent,
        )
    )  # fmt: skip


@operation(
    "outcome query", Effect.READS,
    example="ark-tui outcome query --component-area src/ --since 'last month'",
    route="GET /outcomes", listed="events",
)  # fmt: skip
def query(
    call: Call,
    issue_number: Annotated[Issue, Param("Only of this issue.")] = None,
    event_type: Annotated[Word, Param("Only of this type.", example="validation", metavar="TYPE")] = "",
    component_area: Annotated[
        Word, Param("Only areas that begin with this.", example="src/", metavar="PATH")
    ] = "",
    estimate: Annotated[Size, Param("Only of this size.")] = None,
    verdict: Annotated[Word, Param("Only with this verdict.", example="pass", metavar="TEXT")] = "",
    session_id: Annotated[
        Word, Param("Only of this session.", example="one", option="--session", metavar="NAME")
    ] = "",
    query_id: Annotated[
        Word,
        Param("Only after this search, context or expert call.", example="3fa9c1d2", metavar="ID"),
    ] = "",
    since: Annotated[
        str,
        Param("Only from then on: a date, or words such as last week.", example="last week", metavar="WHEN"),
    ] = "",
    limit: Limit = 50,
    offset: Offset = 0,
    aggregate: Annotated[bool, Param("Sum up all that match instead of listing some.", example=True)] = False,
) -> Page[Event] | Aggregate:
    """List events, the latest first; or sum up all that match."""
    from ark_tui.memory import recall

    moment = recall.since(since, call.engine.now()) if since else None
    wanted = EventFilter(
        issue_number, event_type, component_area, estimate or "", verdict, session_id, query_id, moment
    )
    if aggregate:
        return call.engine.memory.outcomes.totals(wanted)
    found = call.engine.history.events(wanted, offset, limit=limit)
    return Page(found.rows, found.total, limit, offset)


@operation(
    "outcome apply", Effect.ADDS, example="ark-tui outcome apply 3fa9c1d2 77ab01",
    route="POST /outcomes/apply", status=201, scoped=True,
)  # fmt: skip
def apply(
    call: Call,
    retrieval_id: Retrieval,
    pattern: Annotated[
        Name, Param("A pattern in its results.", example="77ab01", metavar="PATTERN", argument=True)
    ],
) -> Application:
    """Note that a pattern is being used; `outcome report` says later how it ended."""
    return call.engine.memory.outcomes.apply(retrieval_id, pattern, call.scope)


@operation(
    "outcome report", Effect.ADDS, example="ark-tui outcome report 3fa9c1d2 success",
    route="POST /outcomes/report", scoped=True,
)  # fmt: skip
def report(
    call: Call,
    retrieval_id: Retrieval,
    outcome: Annotated[Outcome, Param("Whether it has helped.", example="success", argument=True)],
    patterns: Annotated[
        tuple[Name, ...],
        Param("Only of these patterns.", example=("77ab01",), option="--pattern", metavar="ID"),
    ] = (),
) -> Reported:
    """Report whether a context or search has helped.

    Its patterns gain or lose confidence: those that were applied, else all.
    """
    return call.engine.memory.outcomes.report(retrieval_id, outcome, patterns, call.scope)
