"""What is known and learned: facts, patterns, directives, contexts, outcomes, recall, experts, thinking."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from ark_tui.domain.errors import ArkError, NotFound, QuerySyntaxError, UsageError
from ark_tui.domain.memory import EVERY, Scope
from ark_tui.domain.protocols import NEVER, Stop, check
from ark_tui.domain.query import Request

if TYPE_CHECKING:
    from datetime import datetime

    from ark_tui.domain.documents import Tier
    from ark_tui.domain.hits import Hit, SearchResult
    from ark_tui.domain.knowledge import Context, Directive, Fact, Pattern
    from ark_tui.domain.memory import Item as MemoryItem
    from ark_tui.domain.outcomes import Aggregate, Application, Event, EventFilter, Reported
    from ark_tui.domain.recall import Bundle, MemoryStats, Recall, Remembered, Thought
    from ark_tui.engine.journal import Journal
    from ark_tui.engine.parts import Parts
    from ark_tui.memory.directives import Directives
    from ark_tui.memory.facts import Facts
    from ark_tui.memory.items import Items
    from ark_tui.memory.patterns import Patterns
    from ark_tui.memory.think import Chat

Item = TypeVar("Item")

EVERYBODY = Scope(EVERY, EVERY)
SOURCES = 8  # that an answer is made of
NEW = timedelta(hours=24)  # what the statistics call new


class Knowledge:
    """What is known and learned in one home. Items are everybody's; a scope says who added one.

    `search` runs one search of the engine; `journal` keeps it. Methods block and raise `ArkError`. What is
    written is taken up by the indexes before the method returns; where that fails, it is kept all the same
    and found later.
    """

    def __init__(self, parts: Parts, search: Callable[[Request], SearchResult], journal: Journal) -> None:
        self._parts = parts
        self._search = search
        self._journal = journal

    def scope(self, agent: str = "", session: str = "") -> Scope:
        """The scope that is meant: the given names, else those of the settings."""
        settings = self._parts.settings
        return Scope(agent or settings.agent_id, session or settings.session_id)

    @cached_property
    def items(self) -> Items:
        """Memories that are no messages, each with a tier and a layer."""
        from ark_tui.engine.indexing import reading
        from ark_tui.memory.items import Items

        return Items(self._parts.store, reading(self._parts), self._parts.retention)

    def revive(self, ref: str, reason: str = "", scope: Scope | None = None) -> MemoryItem:
        """Bring back what was retired. A `scope` reaches what its agent has added, and no `wiki` text."""
        found = self.items.get(ref)
        if scope is not None and (found.scope.agent != scope.agent or found.document.tier == "wiki"):
            raise NotFound(
                f"{ref} is no memory of {scope.agent}.", "A person can bring it back: ark-tui revive."
            )
        return self._taken_up(self.items.revive(ref, reason, (scope or self.scope()).agent))

    # -- facts -------------------------------------------------------------------------------------

    def facts(self, scope: Scope = EVERYBODY, *, retired: bool = False) -> tuple[Fact, ...]:
        """The facts that somebody has added, the oldest first."""
        return self._facts.list(scope, retired=retired)

    def add_fact(
        self,
        text: str,
        *,
        source: str = "",
        tags: Sequence[str] = (),
        tier: Tier = "doc",
        scope: Scope | None = None,
    ) -> Fact:
        """Keep a fact. The same text from the same source is the same fact."""
        return self._taken_up(
            self._facts.add(text, scope or self.scope(), source=source, tags=tags, tier=tier)
        )

    def edit_fact(self, ref: str, text: str) -> Fact:
        """Give a fact another text."""
        return self._taken_up(self._facts.edit(ref, text))

    def retire_fact(self, ref: str, reason: str = "", scope: Scope | None = None) -> Fact:
        """Take a fact out of searches and contexts; its text is kept."""
        return self._taken_up(self._facts.retire(ref, reason, (scope or self.scope()).agent))

    # -- patterns ----------------------------------------------------------------------------------

    def patterns(self, scope: Scope = EVERYBODY, *, retired: bool = False) -> tuple[Pattern, ...]:
        """The patterns that somebody has added, the surest first."""
        return self._patterns.list(scope, retired=retired)

    def add_pattern(
        self,
        problem: str,
        solution: str,
        *,
        tags: Sequence[str] = (),
        tier: Tier = "doc",
        scope: Scope | None = None,
    ) -> Pattern:
        """Keep a pattern, with a confidence of 0.5. The same problem and solution are the same pattern."""
        return self._taken_up(
            self._patterns.add(problem, solution, scope or self.scope(), tags=tags, tier=tier)
        )

    def edit_pattern(self, ref: str, problem: str | None = None, solution: str | None = None) -> Pattern:
        """Give a pattern another problem or solution; its confidence stays."""
        return self._taken_up(self._patterns.edit(ref, problem, solution))

    def retire_pattern(self, ref: str, reason: str = "", scope: Scope | None = None) -> Pattern:
        """Take a pattern out of searches and contexts; what is known of it is kept."""
        return self._taken_up(self._patterns.retire(ref, reason, (scope or self.scope()).agent))

    # -- directives --------------------------------------------------------------------------------

    def directives(self, by: Scope = EVERYBODY, *, retired: bool = False) -> tuple[Directive, ...]:
        """The rules that somebody has added, in the order in which they count."""
        return self._directives.list(by, retired=retired)

    def add_directive(
        self,
        kind: str,
        text: str,
        *,
        where: str = "",
        priority: int = 0,
        tags: Sequence[str] = (),
        tier: Tier = "doc",
        scope: Scope | None = None,
    ) -> Directive:
        """Keep a rule: MUST, NEVER, PREFER or AVOID. `where`: the scope it holds in; empty: everywhere."""
        return self._taken_up(
            self._directives.add(
                kind, text, scope or self.scope(), scope=where, priority=priority, tags=tags, tier=tier
            )
        )

    def edit_directive(
        self,
        ref: str,
        text: str | None = None,
        *,
        kind: str | None = None,
        where: str | None = None,
        priority: int | None = None,
    ) -> Directive:
        """Change what is given of a rule."""
        return self._taken_up(self._directives.edit(ref, text, kind=kind, scope=where, priority=priority))

    def retire_directive(self, ref: str, reason: str = "", scope: Scope | None = None) -> Directive:
        """Take a rule out of force; it is kept."""
        return self._taken_up(self._directives.retire(ref, reason, (scope or self.scope()).agent))

    # -- outcomes ----------------------------------------------------------------------------------

    def record_outcome(self, event: Event) -> Event:
        """Keep an event; returns it with its id and its moment."""
        from ark_tui.memory import outcomes

        return outcomes.record(self._parts.store, event)

    def outcomes(self, wanted: EventFilter, limit: int = 50) -> tuple[Event, ...]:
        """The events that match, the latest first."""
        from ark_tui.memory import outcomes

        return outcomes.query(self._parts.store, wanted, limit)

    def outcome_totals(self, wanted: EventFilter) -> Aggregate:
        """What all events that match have in common, however many they are."""
        from ark_tui.memory import outcomes

        return outcomes.aggregate(self._parts.store, wanted)

    def apply_pattern(self, retrieval_id: str, pattern: str, scope: Scope | None = None) -> Application:
        """Keep that a pattern which a context or search gave is being used; `report_outcome` settles it."""
        from ark_tui.memory import reporting

        self._journal.settle()
        return reporting.apply(self._parts.store, retrieval_id, pattern, scope or self.scope())

    def report_outcome(
        self,
        retrieval_id: str,
        outcome: str,
        *,
        patterns: Sequence[str] = (),
        scope: Scope | None = None,
    ) -> Reported:
        """Keep whether what a context or search gave has worked; its patterns gain or lose confidence."""
        from ark_tui.memory import reporting

        self._journal.settle()
        return reporting.report(
            self._parts.store, retrieval_id, outcome, scope or self.scope(), named=patterns
        )

    def moment(self, text: str) -> datetime:
        """The moment that plain words name: `yesterday`, `last week`, `36 hours`, `2026-03-01`."""
        from ark_tui.memory import moments

        return moments.since(text, self._parts.clock.now())

    # -- retrieval ---------------------------------------------------------------------------------

    def context(
        self,
        query: str,
        *,
        budget: int = 0,
        scopes: Sequence[str] = (),
        passages: int | None = None,
        scope: Scope | None = None,
    ) -> Context:
        """What is known about a query, as text for a model, at most `budget` tokens (0: 2,000).

        `scopes`: those whose rules hold besides the rules that hold everywhere. Kept under its retrieval id;
        where that cannot be, a notice says so.
        """
        from ark_tui.memory import context
        from ark_tui.store import contexts

        wanted = context.Wanted(
            query, budget or context.BUDGET, tuple(scopes), context.PASSAGES if passages is None else passages
        )
        found = context.context(self._parts.corpus, wanted, self._hits)
        try:
            with self._parts.store.write() as lease:
                contexts.put(lease, found, scope or self.scope())
        except ArkError as error:
            notice = f"This context was not kept, so no outcome can be reported for it: {error.what}"
            return replace(found, notices=(*found.notices, notice))
        return found

    def recall(self, request: Request, role: str) -> Recall:
        """What a role recalls: a search per tier that it trusts, merged, and kept like a search."""
        from ark_tui.memory import recall

        found = recall.recall(self._search, request, role)
        kept = replace(request, filters=replace(request.filters, tiers=recall.tiers(role)))
        self._journal.keep(replace(kept, profile=found.result.profile), found.result)
        return found

    def expert(
        self,
        domain: str,
        *,
        issue_number: int | None = None,
        limit: int = 5,
        recency_window_days: int = 30,
        path_prefix: str = "",
        scope: Scope | None = None,
    ) -> Bundle:
        """What there is about a domain, and what came of it before. The call is kept as an event."""
        from ark_tui.memory import expert

        whose = scope or self.scope()
        return expert.expert(
            self._parts.store, self._parts.clock, domain, issue_number=issue_number, limit=limit,
            recency_window_days=recency_window_days, path_prefix=path_prefix, session_id=whose.session,
            agent_id=whose.agent,
        )  # fmt: skip

    def remember(
        self,
        text: str,
        source: str,
        *,
        tier: str = "raw",
        tags: Sequence[str] = (),
        github_issue: int | None = None,
        scope: Scope | None = None,
    ) -> Remembered:
        """Keep a text that an agent wants to find again. It is kept even where the indexes cannot follow."""
        from ark_tui.domain.recall import Remembered
        from ark_tui.memory import remember

        kept = remember.remember(
            self._parts.store, self.items, self._parts.settings.max_bytes, text, source,
            scope or self.scope(), tier=tier, tags=tags, github_issue=github_issue,
        )  # fmt: skip
        return Remembered(kept, self._follow())

    def think(
        self,
        query: str,
        *,
        role: str = "",
        limit: int = 0,
        agent: str = "",
        stop: Stop = NEVER,
        found: Callable[[Thought], None] = lambda _: None,
    ) -> Thought:
        """Sources for a query and, where a chat model is set and answers, an answer that cites them.

        `found` is told the sources as soon as they are there. Raises `Cancelled` when stopped.
        """
        from ark_tui.domain.recall import Thought
        from ark_tui.memory import think

        result = self._asked(Request(query, limit=limit or SOURCES, agent=agent), role)
        model = self._parts.settings.chat_model
        thought = Thought(query, result.retrieval_id, think.sources(self._parts.store, result), model=model)
        found(thought)
        check(stop)
        return think.think(thought, self._chat(model, stop) if model else None)

    def stats(self, since: datetime | None = None) -> MemoryStats:
        """How much there is by tier, and what is new since a moment, a day ago unless another is given."""
        from ark_tui.store import tiers

        with self._parts.store.read() as lease:
            return tiers.stats(lease, since or self._parts.clock.now() - NEW)

    # -- inside ------------------------------------------------------------------------------------

    @cached_property
    def _facts(self) -> Facts:
        from ark_tui.memory.facts import Facts

        return Facts(self._parts.store, self.items, self._parts.settings.max_bytes)

    @cached_property
    def _patterns(self) -> Patterns:
        from ark_tui.engine.indexing import reading
        from ark_tui.memory.patterns import Patterns

        return Patterns(self._parts.store, self.items, reading(self._parts))

    @cached_property
    def _directives(self) -> Directives:
        from ark_tui.memory.directives import Directives

        return Directives(self._parts.store, self.items)

    def _taken_up(self, item: Item) -> Item:
        from ark_tui.engine import indexing

        indexing.catch_up(self._parts)
        return item

    def _follow(self) -> str:
        """Let the indexes catch up; why they could not."""
        from ark_tui.engine import indexing

        failed: list[str] = []
        indexing.catch_up(self._parts, failed=failed)
        return " ".join(failed)

    def _hits(self, query: str, limit: int) -> Sequence[Hit]:
        return self._search(Request(query, limit=limit, literal=True, unlogged=True)).hits

    def _chat(self, model: str, stop: Stop) -> Chat:
        from ark_tui.embedding.ollama import WHO, Ollama
        from ark_tui.embedding.waiting import stoppable

        settings = self._parts.settings
        server = Ollama(settings.ollama_host, settings.think_timeout, settings.keep_alive)
        return lambda messages, schema: stoppable(WHO, lambda: server.chat(model, messages, schema), stop)

    def _asked(self, request: Request, role: str) -> SearchResult:
        """The sources of a question; one that is no line of the query language is taken as it stands."""
        if not request.query.strip():
            raise UsageError("There is nothing to think about.", "Ask something, in some words.")
        if request.limit < 1:
            raise UsageError(f"A limit of {request.limit} makes no sense.", "Ask for at least one source.")
        try:
            return self.recall(request, role).result if role else self._search(request)
        except QuerySyntaxError:
            return self._asked(replace(request, literal=True), role)
