"""Facts: statements that hold until they are edited or retired."""

from __future__ import annotations

from typing import Annotated

from ark_tui.domain.knowledge import Fact
from ark_tui.domain.memory import EVERY, Scope
from ark_tui.operations.call import Call
from ark_tui.operations.operation import Effect, Param, operation
from ark_tui.operations.page import Page, page
from ark_tui.operations.params import Agent, ItemId, Offset, Owner, Reason, Retired, Tags, Text, TierName
from ark_tui.operations.params import Page as Limit

Words = Annotated[Text, Param("The fact.", example="The build takes four minutes", argument=True, words=True)]
Source = Annotated[str, Param("Where it comes from.", example="run 218", most=200, metavar="TEXT")]


@operation(
    "facts add", Effect.SETS, command="memory fact add",
    example="ark-tui memory fact add The build takes four minutes --tag ci",
    route="POST /facts", status=201, scoped=True, keyed=True, begins=True,
)  # fmt: skip
def add(
    call: Call, text: Words, source: Source = "", tags: Tags = (), tier: TierName = "doc", owner: Owner = None
) -> Fact:
    """Add a fact. It stays until it is edited or retired.

    The same text from the same source is the same fact.
    """
    facts = call.engine.memory.facts
    return facts.add(
        text, source, by=call.scope, tags=tags, tier=call.may_give(tier), whose=call.whose(owner)
    )


@operation(
    "facts list", Effect.READS, command="memory fact", example="ark-tui memory fact --retired",
    route="GET /facts", listed="facts", owned=True,
)  # fmt: skip
def list_(
    call: Call, agent: Agent = EVERY, retired: Retired = False, limit: Limit = 1000, offset: Offset = 0
) -> Page[Fact]:
    """List facts, the oldest first."""
    with call.seen_by(agent):
        found = call.engine.memory.facts.list(Scope(EVERY, EVERY), retired=retired)
    return page(found, limit, offset)


@operation(
    "facts edit", Effect.SETS, command="memory fact edit",
    example="ark-tui memory fact edit 3fa9c1 The build takes three minutes",
    route="PATCH /facts/{id}", scoped=True,
)  # fmt: skip
def edit(call: Call, id: ItemId, text: Words) -> Fact:
    """Change the text of a fact."""
    return call.engine.memory.facts.edit(id, text, reach=call.reach)


@operation(
    "facts retire", Effect.SETS, command="memory fact retire",
    example="ark-tui memory fact retire 3fa9c1 --reason 'the build was split'",
    route="POST /facts/{id}/retire", scoped=True, keyed=True,
)  # fmt: skip
def retire(call: Call, id: ItemId, reason: Reason = "") -> Fact:
    """Retire a fact: searches and contexts leave it out.

    It is kept, and `revive` brings it back.
    """
    return call.engine.memory.facts.retire(id, reason, call.reach)
