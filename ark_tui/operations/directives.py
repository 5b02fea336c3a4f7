"""Directives: rules of the user, global or for a scope."""

from __future__ import annotations

from typing import Annotated

from ark_tui.domain.knowledge import Directive, RuleKind
from ark_tui.domain.memory import EVERY, Scope
from ark_tui.operations.call import Call
from ark_tui.operations.operation import Effect, Param, operation
from ark_tui.operations.page import Page, page
from ark_tui.operations.params import Agent, ItemId, Offset, Owner, Reason, Retired, Tags, Text, TierName
from ark_tui.operations.params import Page as Limit

Words = Annotated[
    Text, Param("The rule.", example="run the tests before a commit", argument=True, words=True)
]
Where = Annotated[
    str,
    Param("Where it applies: a name, or a path and below; empty or global: everywhere.", example="src",
          most=200, metavar="NAME"),
]  # fmt: skip
Priority = Annotated[
    int, Param("A higher one comes first, −1,000 to 1,000.", example=5, least=-1000, most=1000)
]


@operation(
    "directives add", Effect.SETS, command="memory directive add",
    example="ark-tui memory directive add MUST run the tests before a commit --scope src",
    route="POST /directives", status=201, scoped=True, keyed=True, begins=True,
)  # fmt: skip
def add(
    call: Call,
    kind: Annotated[RuleKind, Param("How strict it is.", example="MUST", argument=True)],
    text: Words,
    scope: Where = "",
    priority: Priority = 0,
    tags: Tags = (),
    tier: TierName = "doc",
    owner: Owner = None,
) -> Directive:
    """Add a rule that the user has given, for everywhere or for a scope. Contexts include it.

    The same rule for the same scope is the same directive, with the new priority.
    """
    directives = call.engine.memory.directives
    return directives.add(
        kind,
        text,
        scope,
        priority,
        by=call.scope,
        tags=tags,
        tier=call.may_give(tier),
        whose=call.whose(owner),
    )


@operation(
    "directives list", Effect.READS, command="memory directive", example="ark-tui memory directive --retired",
    route="GET /directives", listed="directives", owned=True,
)  # fmt: skip
def list_(
    call: Call, agent: Agent = EVERY, retired: Retired = False, limit: Limit = 1000, offset: Offset = 0
) -> Page[Directive]:
    """List the rules in the order in which they count."""
    with call.seen_by(agent):
        found = call.engine.memory.directives.list(Scope(EVERY, EVERY), retired=retired)
    return page(found, limit, offset)


@operation(
    "directives edit", Effect.SETS, command="memory directive edit",
    example="ark-tui memory directive edit 3fa9c1 --kind PREFER --priority 5",
    route="PATCH /directives/{id}", scoped=True,
)  # fmt: skip
def edit(
    call: Call,
    id: ItemId,
    text: Annotated[Words | None, Param("Another text.")] = None,
    kind: Annotated[RuleKind | None, Param("Another kind of rule.")] = None,
    scope: Where | None = None,
    priority: Priority | None = None,
) -> Directive:
    """Change a rule's text, kind, scope or priority; it stays the same rule."""
    return call.engine.memory.directives.edit(id, kind, text, scope, priority, reach=call.reach)


@operation(
    "directives retire", Effect.SETS, command="memory directive retire",
    example="ark-tui memory directive retire 3fa9c1 --reason 'CI does it'",
    route="POST /directives/{id}/retire", scoped=True, keyed=True,
)  # fmt: skip
def retire(call: Call, id: ItemId, reason: Reason = "") -> Directive:
    """Retire a rule.

    It is kept, and `revive` brings it back.
    """
    return call.engine.memory.directives.retire(id, reason, call.reach)
