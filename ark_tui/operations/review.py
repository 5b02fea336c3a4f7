"""The candidates that a model proposes from conversations, and the queue for a person to review them."""

from __future__ import annotations

from typing import Annotated, Any

from ark_tui.domain.errors import UsageError
from ark_tui.domain.memory import EVERY, Scope
from ark_tui.domain.review import OPEN, Accuracy, Candidate, CandidateKind, CandidateState, Consolidated
from ark_tui.operations.call import Call
from ark_tui.operations.operation import Effect, Page, Param, operation, page
from ark_tui.operations.params import ItemId, Line, Name, Offset
from ark_tui.operations.params import Page as Limit

Id = Annotated[Line, Param("A candidate, by its id.", example="3fa9c1d2", metavar="ID", argument=True)]
Ids = Annotated[Id, Param(each=True)]


@operation(
    "consolidate", Effect.SETS, command="memory consolidate",
    example="ark-tui memory consolidate --minutes 10", long=True,
)  # fmt: skip
def consolidate(
    call: Call,
    tokens: Annotated[
        int,
        Param(
            "Tokens that the model may use, else as the settings say.", example=20_000, least=0, most=10**9
        ),
    ] = 0,
    minutes: Annotated[
        float,
        Param(
            "Minutes after which nothing more is started, else as the settings say.",
            example=10,
            least=0,
            most=10_000,
        ),
    ] = 0.0,
) -> Consolidated:
    """Let the chat model propose memories from finished conversations.

    Episodes, facts, patterns and rules become candidates with the places they rest on; none is in a search
    before it is accepted. Each message is read once. Without a model the run is deferred.
    """
    return call.engine.memory.consolidate(
        tokens=tokens, minutes=minutes, stop=call.stop, progress=call.progress
    )


@operation(
    "review list", Effect.READS, example="ark-tui review list --kind fact",
    route="GET /review", listed="candidates", scoped=True,
)  # fmt: skip
def list_(
    call: Call,
    kinds: Annotated[
        tuple[CandidateKind, ...],
        Param("Only this kind.", example=("fact",), option="--kind", metavar="KIND", wire="kind"),
    ] = (),
    states: Annotated[
        tuple[CandidateState, ...],
        Param("In this state; else those that wait for a decision.", example=("rejected",), option="--state",
              metavar="STATE", wire="state"),
    ] = (),
    limit: Limit = 50,
    offset: Offset = 0,
) -> Page[Candidate]:  # fmt: skip
    """List what a model proposes to remember, with its sources and what it would replace.

    A person sees all candidates, a program those that will be its own or shared. With a token of an agent it
    sees those from that agent's conversations.
    """
    found = call.engine.memory.review.list(_seen(call), states=states or OPEN, kinds=kinds)
    return page(found, limit, offset)


@operation("review accept", Effect.SETS, example="ark-tui review accept 3fa9c1d2", personal=True)
def accept(call: Call, id: Ids) -> Candidate:
    """Accept a candidate as an item of its kind. What it contradicts or supersedes is retired."""
    return call.engine.memory.review.accept(id, agent=call.scope.agent)


@operation(
    "review edit", Effect.SETS, example="ark-tui review edit 3fa9c1d2 --text 'CI takes nine minutes'",
    personal=True,
)  # fmt: skip
def edit(
    call: Call,
    id: Id,
    text: Annotated[Line | None, Param("Of a fact or rule.", example="CI takes nine minutes")] = None,
    title: Annotated[Name | None, Param("Of an episode.", example="Tests that hang")] = None,
    summary: Annotated[Line | None, Param("Of an episode.", example="They waited for a lock.")] = None,
    problem: Annotated[Line | None, Param("Of a pattern.", example="tests hang")] = None,
    solution: Annotated[Line | None, Param("Of a pattern.", example="set a timeout")] = None,
    kind: Annotated[Name | None, Param("Of a rule: MUST, NEVER, PREFER, AVOID.", example="MUST")] = None,
) -> Candidate:
    """Accept a candidate with changes."""
    given: dict[str, Any] = {"text": text, "title": title, "summary": summary, "problem": problem,
                             "solution": solution, "kind": kind}  # fmt: skip
    if not any(given.values()):
        raise UsageError("There is nothing to change.", "Give a text, or accept the candidate as it is.")
    return call.engine.memory.review.accept(id, given, agent=call.scope.agent)


@operation("review reject", Effect.SETS, example="ark-tui review reject 3fa9c1d2", personal=True)
def reject(call: Call, id: Ids) -> Candidate:
    """Reject a candidate. It is not proposed again."""
    return call.engine.memory.review.reject(id)


@operation("review merge", Effect.SETS, example="ark-tui review merge 3fa9c1d2 '#77aa01'", personal=True)
def merge(
    call: Call,
    id: Id,
    item: Annotated[ItemId, Param("The existing item.")],
) -> Candidate:
    """Merge a candidate into an existing item."""
    return call.engine.memory.review.merge(id, item)


@operation("review later", Effect.SETS, example="ark-tui review later 3fa9c1d2", personal=True)
def later(call: Call, id: Ids) -> Candidate:
    """Move a candidate to the end of the list."""
    return call.engine.memory.review.later(id)


@operation("review undo", Effect.SETS, example="ark-tui review undo", personal=True)
def undo(call: Call) -> Candidate:
    """Undo the last decision and what it changed."""
    return call.engine.memory.review.undo()


@operation("review accuracy", Effect.READS, example="ark-tui review accuracy", listed="models", scoped=True)
def accuracy(call: Call, limit: Limit = 50, offset: Offset = 0) -> Page[Accuracy]:
    """Count for each model its proposals, how many were accepted, and how many its sources do not support."""
    return page(call.engine.memory.review.accuracy(_seen(call)), limit, offset)


def _seen(call: Call) -> Scope:
    """The scope that a person selected, else every scope; a program's view is limited by visibility."""
    return call.scope if call.person and (call.agent or call.session) else Scope(EVERY, EVERY)
