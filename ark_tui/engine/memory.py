"""The memory of a home, grouped by area, in one store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ark_tui.domain.errors import ArkError, QuerySyntaxError, UsageError
from ark_tui.domain.layers import MEMORY
from ark_tui.domain.memory import Scope
from ark_tui.domain.protocols import NEVER, OnProgress, Stop, check, ignore
from ark_tui.domain.query import Filters, Has, Not, Request
from ark_tui.domain.recall import MemoryStats, Recall, Remembered, Thought

if TYPE_CHECKING:
    from ark_tui.domain.hits import SearchResult
    from ark_tui.domain.knowledge import Context, Directive, Fact, Pattern
    from ark_tui.domain.memory import ScopeInfo
    from ark_tui.domain.review import Consolidated
    from ark_tui.engine.services import Services
    from ark_tui.memory.conversations import Conversations
    from ark_tui.memory.corrections import Corrections
    from ark_tui.memory.forgetting import Forgetting, Retention
    from ark_tui.memory.items import Items
    from ark_tui.memory.kinds import Known
    from ark_tui.memory.outcomes import Accesses, Outcomes
    from ark_tui.memory.review import Review
    from ark_tui.memory.scratch import Scratch
    from ark_tui.memory.tasks import Tasks
    from ark_tui.memory.tiers import Tiers
    from ark_tui.settings.tokens import Tokens

SOURCES = 8  # sources of an answer
NEW = timedelta(hours=24)  # age up to which the statistics count an item as new


class Memory:
    """The memory of one home. A scope records who added an item; its owner determines who sees it.

    Methods block and raise `ArkError`. Writes are stored even if updating the indexes fails; then they are
    found later.
    """

    def __init__(self, parts: Services) -> None:
        self._parts = parts

    def whose(self, scope: Scope) -> tuple[str, str]:
        """The default owner and project of items added in a scope.

        Items of an agent with its own token belong to that agent; all others are shared.
        """
        known = self.tokens.list()
        owned = any(scope.agent in one.agents for one in known)
        narrow = any(scope.session in one.projects for one in known)
        return scope.agent if owned else "", scope.session if narrow else self._parts.project

    @cached_property
    def tokens(self) -> Tokens:
        """The access tokens of the server."""
        from ark_tui.settings.tokens import Tokens

        return Tokens(self._parts.settings.home, self._parts.clock)

    @cached_property
    def items(self) -> Items:
        """Memories other than messages, each with a tier and a layer."""
        from ark_tui.memory.items import Items

        return Items(self._parts.store, self._parts.reader, self._parts.retention, self.whose)

    @cached_property
    def facts(self) -> Known[Fact]:
        """Facts."""
        return self.known("facts")

    @cached_property
    def patterns(self) -> Known[Pattern]:
        """Patterns: problems and their solutions."""
        return self.known("patterns")

    @cached_property
    def directives(self) -> Known[Directive]:
        """Directives: rules to follow."""
        return self.known("directives")

    def known(self, kind: str) -> Known[Any]:
        """The items of a kind, by its name in `memory.kinds`."""
        from ark_tui.memory import kinds
        from ark_tui.memory.kinds import Known

        parts, row = self._parts, kinds.KINDS[kind]
        return Known(row, parts.store, self.items, self._parts.reader, self._parts.scope(), self._taken_up)

    @cached_property
    def corrections(self) -> Corrections:
        """Corrections and retirements of items, and proposals for them by agents."""
        from ark_tui.memory.corrections import Corrections

        return Corrections(self._parts.store, self.items, self.known, self._parts.reader, self._taken_up)

    @cached_property
    def outcomes(self) -> Outcomes:
        """Reported outcomes: events, and whether retrieved items helped."""
        from ark_tui.memory.outcomes import Outcomes

        return Outcomes(self._parts.store, self._parts.scope(), self._parts.journal.settle)

    @cached_property
    def review(self) -> Review:
        """Review of proposals by a model."""
        from ark_tui.memory.review import Review

        return Review(self._parts.store, self.items, self.known, self.corrections, self._taken_up)

    def consolidate(
        self, *, tokens: int = 0, minutes: float = 0.0, stop: Stop = NEVER, progress: OnProgress = ignore
    ) -> Consolidated:
        """Let the chat model propose knowledge from conversations, within a budget.

        The budget defaults to that of the settings. Raises `Cancelled`.
        """
        from ark_tui.memory.consolidation import Budget, Consolidation

        parts, settings = self._parts, self._parts.settings
        budget = Budget(tokens or settings.consolidate_tokens, 60 * (minutes or settings.consolidate_minutes))
        work = Consolidation(
            parts.store,
            parts.clock,
            parts.models.writers,
            settings.think_timeout,
            self.whose,
        )
        return work.run(budget, stop, progress)

    # -- messages and notes -----------------------------------------------------------------------

    def scopes(self) -> tuple[ScopeInfo, ...]:
        """Every scope with contents, with counts."""
        from ark_tui.store import owners

        with self._parts.store.read() as lease:
            return tuple(owners.scopes(lease))

    @cached_property
    def scratch(self) -> Scratch:
        """Scratch notes: values by key."""
        from ark_tui.memory.scratch import Scratch

        return Scratch(self._parts.store, self._parts.settings.max_bytes)

    @cached_property
    def tasks(self) -> Tasks:
        """Tasks."""
        from ark_tui.memory.tasks import Tasks

        return Tasks(self._parts.store, self._parts.clock)

    @cached_property
    def conversations(self) -> Conversations:
        """Conversations and their history as a list."""
        from ark_tui.memory.conversations import Conversations

        parts = self._parts
        return Conversations(parts.store, parts.clock, parts.messages, parts.settings.max_bytes, self._erase)

    def length(self, text: str) -> int:
        """The number of tokens of a text, counted as for a context."""
        from ark_tui.memory import wording

        return wording.length(text)

    @cached_property
    def tiers(self) -> Tiers:
        """Manual promotion and demotion."""
        from ark_tui.memory.tiers import Tiers

        return Tiers(self._parts.store, self.items, self._parts.cut)

    @cached_property
    def retention(self) -> Retention:
        """Expired memories and their permanent deletion."""
        from ark_tui.memory.forgetting import Retention

        parts = self._parts
        return Retention(parts.store, parts.clock, parts.retention, self._erase)

    @cached_property
    def forgetting(self) -> Forgetting:
        """Permanent deletion of single memories and messages."""
        from ark_tui.engine import erasing
        from ark_tui.memory.forgetting import Forgetting

        settings = self._parts.settings
        return Forgetting(self._parts.store, self._erase, lambda: erasing.remains(settings))

    @cached_property
    def accesses(self) -> Accesses:
        """Documents opened, copied or cited, by agent."""
        from ark_tui.memory.outcomes import Accesses

        return Accesses(self._parts.store)

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
        """Knowledge about a query as text for a model, at most `budget` tokens (0: 2,000).

        `scopes`: scopes whose rules apply in addition to the global rules. The context is stored under its
        retrieval id; a failure to store it is a notice.
        """
        from ark_tui.memory import context

        wanted = context.Wanted(
            query, budget or context.BUDGET, tuple(scopes), context.PASSAGES if passages is None else passages
        )
        self._parts.wait_for_indexes()
        found = context.context(self._parts.corpus, wanted, self._plain)
        try:
            self._keep(found, scope or self._parts.scope())
        except ArkError as error:
            notice = f"This context was not kept, so no outcome can be reported for it: {error.what}"
            return replace(found, notices=(*found.notices, notice))
        return found

    def _keep(self, found: Context, scope: Scope) -> None:
        """Store a context, so outcomes can be reported for it."""
        from ark_tui.store import contexts

        with self._parts.store.write() as lease:
            contexts.put(lease, found, scope)

    def recall(self, request: Request, role: str) -> Recall:
        """Recall for a role: merge one search per trusted tier, and log the result as a search.

        By default, the best results are re-ranked if a re-ranker is available.
        """
        from ark_tui.memory import recall

        if request.rerank is None:
            request = replace(request, rerank=self._parts.models.reranks() or None)
        found = recall.recall(self._parts.search, request, role)
        kept = replace(request, filters=replace(request.filters, tiers=recall.tiers(role)))
        self._parts.journal.keep(replace(kept, profile=found.result.profile), found.result)
        return found

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
        """Store a text of an agent. It is stored even if updating the indexes fails."""
        from ark_tui.memory import items

        kept = items.remember(
            self._parts.store, self.items, self._parts.settings.max_bytes, text, source,
            scope or self._parts.scope(), tier=tier, tags=tags, github_issue=github_issue, whose=whose,
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
        """Sources for a query and, if a chat model is available, an answer that cites them.

        `found` is called with the sources first, then repeatedly with the partial answer. Raises `Cancelled`.
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
        """Number of items by tier, and of new items since a time, by default one day ago."""
        from ark_tui.store import overview

        with self._parts.store.read() as lease:
            return overview.stats(lease, since or self._parts.clock.now() - NEW)

    # -- inside ------------------------------------------------------------------------------------

    def _erase(self) -> int:
        """Erase deleted texts from every file; return the number of vectors deleted."""
        from ark_tui.engine import erasing

        return erasing.finish(self._parts).vectors

    def _taken_up(self) -> None:
        from ark_tui.engine import indexing

        indexing.catch_up(self._parts)

    def _follow(self) -> str:
        """Update the indexes; return the reasons of failures."""
        from ark_tui.engine import indexing

        failed: list[str] = []
        indexing.catch_up(self._parts, failed=failed)
        return " ".join(failed)

    def _plain(self, query: str, limit: int) -> SearchResult:
        """Search documents only; knowledge is searched separately."""
        elsewhere = Filters(where=Not(Has("collection", MEMORY)))
        return self._parts.search(Request(query, limit=limit, filters=elsewhere, literal=True, unlogged=True))

    def _asked(self, request: Request, role: str) -> SearchResult:
        """Search the sources of a question; with invalid query syntax, search it literally."""
        if not request.query.strip():
            raise UsageError("There is no question.", "Give the question in words.")
        if request.limit < 1:
            raise UsageError(f"The limit {request.limit} is too small.", "Ask for at least one source.")
        try:
            return self.recall(request, role).result if role else self._parts.search(request)
        except QuerySyntaxError:
            return self._asked(replace(request, literal=True), role)
