"""Facts, patterns and directives: adding and listing them."""

from __future__ import annotations

from typing import Annotated

from ark_tui.domain.knowledge import Directive, Fact, Pattern, RuleKind
from ark_tui.domain.memory import EVERY, Scope
from ark_tui.operations.call import Call
from ark_tui.operations.operation import Effect, Page, Param, operation, page
from ark_tui.operations.params import Agent, Offset, Owner, Retired, Tags, Text, TierName
from ark_tui.operations.params import Page as Limit

EVERYBODY = Scope(EVERY, EVERY)


@operation(
    "facts add", Effect.SETS, command="memory fact add",
    example="ark-tui memory fact add The build takes four minutes --tag ci",
    route="POST /facts", status=201, scoped=True, keyed=True, begins=True,
)  # fmt: skip
def add_fact(
    call: Call,
    text: Annotated[
        Text, Param("The fact.", example="The build takes four minutes", argument=True, words=True)
    ],
    source: Annotated[str, Param("Where it comes from.", example="run 218", most=200, metavar="TEXT")] = "",
    tags: Tags = (),
    tier: TierName = "doc",
    owner: Owner = None,
) -> Fact:
    """Add a fact. It holds until it is corrected or retired.

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
def list_facts(
    call: Call, agent: Agent = EVERY, retired: Retired = False, limit: Limit = 1000, offset: Offset = 0
) -> Page[Fact]:
    """List facts, the oldest first."""
    with call.seen_by(agent):
        found = call.engine.memory.facts.list(EVERYBODY, retired=retired)
    return page(found, limit, offset)


@operation(
    "patterns add", Effect.SETS, command="memory pattern add",
    example="ark-tui memory pattern add the tests hang on CI --solution 'set a timeout for each'",
    route="POST /patterns", status=201, scoped=True, keyed=True, begins=True,
)  # fmt: skip
def add_pattern(
    call: Call,
    problem: Annotated[
        Text, Param("The problem.", example="the tests hang on CI", argument=True, words=True)
    ],
    solution: Annotated[Text, Param("What solves it.", example="set a timeout for each", metavar="TEXT")],
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
def list_patterns(
    call: Call, agent: Agent = EVERY, retired: Retired = False, limit: Limit = 1000, offset: Offset = 0
) -> Page[Pattern]:
    """List problems and what solved them, the surest first."""
    with call.seen_by(agent):
        found = call.engine.memory.patterns.list(EVERYBODY, retired=retired)
    return page(found, limit, offset)


@operation(
    "directives add", Effect.SETS, command="memory directive add",
    example="ark-tui memory directive add MUST run the tests before a commit --scope src",
    route="POST /directives", status=201, scoped=True, keyed=True, begins=True,
)  # fmt: skip
def add_directive(
    call: Call,
    kind: Annotated[RuleKind, Param("How strict it is.", example="MUST", argument=True)],
    text: Annotated[
        Text, Param("The rule.", example="run the tests before a commit", argument=True, words=True)
    ],
    scope: Annotated[
        str,
        Param("Where it applies: a name, or a path and below; empty or global: everywhere.", example="src",
              most=200, metavar="NAME"),
    ] = "",
    priority: Annotated[
        int, Param("A higher one comes first, −1,000 to 1,000.", example=5, least=-1000, most=1000)
    ] = 0,
    tags: Tags = (),
    tier: TierName = "doc",
    owner: Owner = None,
) -> Directive:  # fmt: skip
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
def list_directives(
    call: Call, agent: Agent = EVERY, retired: Retired = False, limit: Limit = 1000, offset: Offset = 0
) -> Page[Directive]:
    """List the rules in the order in which they count."""
    with call.seen_by(agent):
        found = call.engine.memory.directives.list(EVERYBODY, retired=retired)
    return page(found, limit, offset)
