"""Patterns: problems, their solutions, and the confidence in them."""

from __future__ import annotations

from typing import Annotated

from ark_tui.domain.knowledge import Pattern
from ark_tui.domain.memory import EVERY, Scope
from ark_tui.operations.call import Call
from ark_tui.operations.operation import Effect, Param, operation
from ark_tui.operations.page import Page, page
from ark_tui.operations.params import Agent, ItemId, Offset, Owner, Reason, Retired, Tags, Text, TierName
from ark_tui.operations.params import Page as Limit

Solution = Annotated[Text, Param("What solves it.", example="set a timeout for each", metavar="TEXT")]


@operation(
    "patterns add", Effect.SETS, command="memory pattern add",
    example="ark-tui memory pattern add the tests hang on CI --solution 'set a timeout for each'",
    route="POST /patterns", status=201, scoped=True, keyed=True, begins=True,
)  # fmt: skip
def add(
    call: Call,
    problem: Annotated[
        Text, Param("The problem.", example="the tests hang on CI", argument=True, words=True)
    ],
    solution: Solution,
    tags: Tags = (),
    tier: TierName = "doc",
    owner: Owner = None,
) -> Pattern:
    """Add a problem and its solution. The confidence starts at 0.5 and follows reported outcomes.

    The same problem and solution are the same pattern.
    """
    patterns = call.engine.memory.patterns
    return patterns.add(
        problem, solution, by=call.scope, tags=tags, tier=call.may_give(tier), whose=call.whose(owner)
    )


@operation(
    "patterns list", Effect.READS, command="memory pattern", example="ark-tui memory pattern --retired",
    route="GET /patterns", listed="patterns", owned=True,
)  # fmt: skip
def list_(
    call: Call, agent: Agent = EVERY, retired: Retired = False, limit: Limit = 1000, offset: Offset = 0
) -> Page[Pattern]:
    """List problems and what solved them, the surest first."""
    with call.seen_by(agent):
        found = call.engine.memory.patterns.list(Scope(EVERY, EVERY), retired=retired)
    return page(found, limit, offset)


@operation(
    "patterns edit", Effect.SETS, command="memory pattern edit",
    example="ark-tui memory pattern edit 3fa9c1 --solution 'a timeout of 60 s'",
    route="PATCH /patterns/{id}", scoped=True,
)  # fmt: skip
def edit(
    call: Call,
    id: ItemId,
    problem: Annotated[
        Text | None, Param("Another problem.", example="the tests hang", metavar="TEXT")
    ] = None,
    solution: Annotated[Solution | None, Param("Another solution.")] = None,
) -> Pattern:
    """Change the problem or solution of a pattern. Its confidence and outcomes stay."""
    return call.engine.memory.patterns.edit(id, problem, solution, reach=call.reach)


@operation(
    "patterns retire", Effect.SETS, command="memory pattern retire",
    example="ark-tui memory pattern retire 3fa9c1 --reason 'CI has a timeout'",
    route="POST /patterns/{id}/retire", scoped=True, keyed=True,
)  # fmt: skip
def retire(call: Call, id: ItemId, reason: Reason = "") -> Pattern:
    """Retire a pattern: searches and contexts leave it out.

    It is kept, and `revive` brings it back.
    """
    return call.engine.memory.patterns.retire(id, reason, call.reach)
