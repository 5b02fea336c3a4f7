"""What is known and learned: facts, patterns, directives, contexts, outcomes, recall, experts, thinking."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ark_tui.domain.errors import ArkError, QuerySyntaxError, UsageError
from ark_tui.domain.layers import MEMORY
from ark_tui.domain.memory import Item, Scope
from ark_tui.domain.protocols import NEVER, OnProgress, Stop, check, ignore
from ark_tui.domain.query import Filters, Has, Not, Request
from ark_tui.domain.recall import Bundle, MemoryStats, Recall, Remembered, Thought

if TYPE_CHECKING:
    from ark_tui.domain.hits import SearchResult
    from ark_tui.domain.knowledge import Context, Directive, Fact, Pattern
    from ark_tui.domain.review import Consolidated
    from ark_tui.engine.journal import Journal
    from ark_tui.engine.services import Services
    from ark_tui.memory.corrections import Corrections
    from ark_tui.memory.items import Items
    from ark_tui.memory.known import Known
    from ark_tui.memory.outcomes import Outcomes
    from ark_tui.memory.review import Review
    from ark_tui.settings.tokens import Tokens

SOURCES = 8  # that an answer is made of
NEW = timedelta(hours=24)  # what the statistics call new


class Knowledge:
    """What is known and learned in one home. A scope says who added an item, its owner who sees it.

    `search` runs one search of the engine; `journal` keeps it. Methods block and raise `ArkError`. What is
    written is taken up by the indexes before the method returns; where that fails, it is kept all the same
    and found later.
    """

    def __init__(self, parts: Services, search: Callable[[Request], SearchResult], journal: Journal) -> None:
        self._parts = parts
        self._search = search
        self._journal = journal

    def scope(self, agent: str = "", session: str = "") -> Scope:
        """The scope that is meant: the given names, else those of the settings."""
        return self._parts.scope(agent, session)

    def whose(self, scope: Scope) -> tuple[str, str]:
        """The owner and the project of what is added in a scope, where nobody says otherwise.

        What an agent with a token of its own adds is its own; all else is everybody's.
        """
        known = self.tokens.list()
        owned = any(scope.agent in one.agents for one in known)
        narrow = any(scope.session in one.projects for one in known)
        return scope.agent if owned else "", scope.session if narrow else self._parts.project

    @cached_property
    def tokens(self) -> Tokens:
        """The tokens of the server."""
        from ark_tui.settings.tokens import Tokens

        return Tokens(self._parts.settings.home, self._parts.clock)

    @cached_property
    def items(self) -> Items:
        """Memories that are no messages, each with a tier and a layer."""
        from ark_tui.engine.indexing import reading
        from ark_tui.memory.items import Items

        return Items(self._parts.store, reading(self._parts), self._parts.retention, self.whose)

    @cached_property
    def facts(self) -> Known[Fact]:
        """What is so."""
        return self.known("facts")

    @cached_property
    def patterns(self) -> Known[Pattern]:
        """Problems, and what solves them."""
        return self.known("patterns")

    @cached_property
    def directives(self) -> Known[Directive]:
        """Rules to hold to."""
        return self.known("directives")

    def known(self, kind: str) -> Known[Any]:
        """The items of a kind, by its name in `memory.kinds`."""
        from ark_tui.engine.indexing import reading
        from ark_tui.memory import kinds
        from ark_tui.memory.known import Known

        parts, row = self._parts, kinds.KINDS[kind]
        return Known(row, parts.store, self.items, reading(parts), self.scope(), self._taken_up)

    def revive(self, ref: str, reason: str = "", scope: Scope | None = None) -> Item:
        """Bring back what was retired. A `scope` reaches what its agent has added, and no `wiki` text."""
        return self.corrections.revive(ref, reason, (scope or self.scope()).agent, scope)

    @cached_property
    def corrections(self) -> Corrections:
        """Corrections and retirements of what is known, and what agents propose of these."""
        from ark_tui.engine.indexing import reading
        from ark_tui.memory.corrections import Corrections

        return Corrections(self._parts.store, self.items, self.known, reading(self._parts), self._taken_up)

    @cached_property
    def outcomes(self) -> Outcomes:
        """What happened, and whether what was retrieved has helped."""
        from ark_tui.memory.outcomes import Outcomes

        return Outcomes(self._parts.store, self.scope(), self._journal.settle)

    @cached_property
    def review(self) -> Review:
        """What a model has proposed, and what becomes of it."""
        from ark_tui.memory.review import Review

        return Review(self._parts.store, self.items, self.known, self.corrections, self._taken_up)

    def consolidate(
        self, *, tokens: int = 0, minutes: float = 0.0, stop: Stop = NEVER, progress: OnProgress = ignore
    ) -> Consolidated:
        """Have the chat model propose what is worth knowing out of conversations, as far as a budget goes.

        Without a budget that of the settings holds. Raises `Cancelled`.
        """
        from ark_tui.memory.consolidation import Budget, Consolidation

        parts, settings = self._parts, self._parts.settings
        budget = Budget(tokens or settings.consolidate_tokens, 60 * (minutes or settings.consolidate_minutes))
        work = Consolidation(
            parts.store,
            parts.clock,
            parts.models.writers,
            self.review,
            settings.think_timeout,
            self.whose,
            settings.let_in,
        )
        try:
            return work.run(budget, stop, progress)
        finally:
            if meant := parts.meant():
                with parts.afterwards():
                    meant.follow(stop)

    def moment(self, text: str) -> datetime:
        """The moment that plain words name: `yesterday`, `last week`, `36 hours`, `2026-03-01`."""
        from ark_tui.memory import recall

        return recall.since(text, self._parts.clock.now())

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

        wanted = context.Wanted(
            query, budget or context.BUDGET, tuple(scopes), context.PASSAGES if passages is None else passages
        )
        self._parts.wait_for_indexes()
        found = context.context(self._parts.corpus, wanted, self._plain)
        try:
            self._keep(found, scope or self.scope())
        except ArkError as error:
            notice = f"This context was not kept, so no outcome can be reported for it: {error.what}"
            return replace(found, notices=(*found.notices, notice))
        return found

    def _keep(self, found: Context, scope: Scope) -> None:
        """Keep a context: an outcome may be reported for it."""
        from ark_tui.store import contexts

        with self._parts.store.write() as lease:
            contexts.put_rows(lease, [contexts.rows(found, scope)])

    def recall(self, request: Request, role: str) -> Recall:
        """What a role recalls: a search per tier that it trusts, merged, and kept like a search.

        Where a re-ranker is here and nobody says otherwise, it reads the best of each.
        """
        from ark_tui.memory import recall

        if request.rerank is None:
            request = replace(request, rerank=self._parts.models.reranks() or None)
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
        whose: tuple[str, str] | None = None,
    ) -> Remembered:
        """Keep a text that an agent wants to find again. It is kept even where the indexes cannot follow."""
        from ark_tui.memory import remember

        kept = remember.remember(
            self._parts.store, self.items, self._parts.settings.max_bytes, text, source,
            scope or self.scope(), tier=tier, tags=tags, github_issue=github_issue, whose=whose,
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

        `found` is told the sources as soon as they are there, then the answer as far as it is written.
        Raises `Cancelled` when stopped.
        """
        from ark_tui.memory import think

        result = self._asked(Request(query, limit=limit or SOURCES, agent=agent), role)
        model = self._parts.settings.chat_model
        sources = think.sources(self._parts.corpus, result)
        thought = Thought(query, result.retrieval_id, sources, model=model, off=result.off)
        found(thought)
        check(stop)
        parts = self._parts
        return think.think(thought, parts.models.writers, parts.settings.think_timeout, stop, found)

    def stats(self, since: datetime | None = None) -> MemoryStats:
        """How much there is by tier, and what is new since a moment, a day ago unless another is given."""
        from ark_tui.store import tiers

        with self._parts.store.read() as lease:
            return tiers.stats(lease, since or self._parts.clock.now() - NEW)

    # -- inside ------------------------------------------------------------------------------------

    def _taken_up(self) -> None:
        from ark_tui.engine import indexing

        indexing.catch_up(self._parts)

    def _follow(self) -> str:
        """Let the indexes catch up; why they could not."""
        from ark_tui.engine import indexing

        failed: list[str] = []
        indexing.catch_up(self._parts, failed=failed)
        return " ".join(failed)

    def _plain(self, query: str, limit: int) -> SearchResult:
        """Documents: what is known of a query is asked for by itself."""
        elsewhere = Filters(where=Not(Has("collection", MEMORY)))
        return self._search(Request(query, limit=limit, filters=elsewhere, literal=True, unlogged=True))

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
