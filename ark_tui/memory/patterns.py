"""Patterns: a problem, what solves it, and the confidence that outcomes have given it (layer 4)."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ark_tui.domain.documents import content_hash
from ark_tui.domain.errors import UsageError
from ark_tui.domain.knowledge import PATTERN, Pattern
from ark_tui.domain.memory import PATTERN as LAYER
from ark_tui.domain.memory import RETIRED, Scope
from ark_tui.domain.outcomes import FIRST_CONFIDENCE, Change, Outcome, moved
from ark_tui.memory import texts
from ark_tui.store import items, knowledge, requests

if TYPE_CHECKING:
    from ark_tui.domain.documents import ChunkDraft, Draft, Tier
    from ark_tui.ingest.reading import Reading
    from ark_tui.memory.items import Items
    from ark_tui.store import Lease, Store

BETWEEN = "\n\n"  # problem and solution in the text of the document
PROBLEM, SOLUTION = "problem", "solution"
"""Kinds of chunks: a pattern is looked for by its problem."""


class Patterns:
    """The patterns of a home. They are everybody's; the scope says who added one."""

    def __init__(self, store: Store, items: Items, reading: Reading) -> None:
        self._store = store
        self._items = items
        self._reading = reading

    def add(
        self, problem: str, solution: str, scope: Scope, *, tags: Sequence[str] = (), tier: Tier = "doc"
    ) -> Pattern:
        """Keep a pattern, with a confidence of 0.5. The same problem and solution are the same pattern."""
        asked, solved = self._texts(problem, solution)
        whose = texts.one(scope)
        with self._store.write() as lease:

            def make() -> Pattern:
                known = knowledge.same(lease, PATTERN, asked + BETWEEN + solved)
                if known is not None:
                    return knowledge.patterns(lease, [known])[known]
                draft = replace(
                    self._draft(asked, solved, f"patterns/{uuid.uuid4().hex[:12]}"), tier=tier,
                    agent=whose.agent, session=whose.session, date=lease.now().date(), date_source="given",
                )  # fmt: skip
                return self._kept(lease, draft, (asked, solved, FIRST_CONFIDENCE, 0, 0), tags)

            return requests.once(
                lease, "add a pattern", [problem, solution, tags, tier], make, lambda made: made.document.id,
                lambda id_: knowledge.again(lease, knowledge.patterns, id_),
            )  # fmt: skip

    def edit(self, ref: str, problem: str | None = None, solution: str | None = None) -> Pattern:
        """Give a pattern another problem or solution; its confidence and its outcomes stay."""
        if problem is None and solution is None:
            raise UsageError("There is nothing to change.", "Give another problem or another solution.")
        with self._store.write() as lease:
            number = knowledge.resolve(lease, ref, PATTERN)
            old = knowledge.patterns(lease, [number])[number]
            asked, solved = self._texts(problem or old.problem, solution or old.solution)
            about = old.document
            draft = replace(
                self._draft(asked, solved, about.path), tier=about.tier, status=about.status, date=about.date,
                date_source=about.date_source, agent=old.by.agent, session=old.by.session,
            )  # fmt: skip
            values = (asked, solved, old.confidence, old.successes, old.failures)
            made = self._kept(lease, draft, values, about.tags)
            if old.retired:
                items.silence(lease, number, RETIRED)
            return made

    def retire(self, ref: str, reason: str, agent: str) -> Pattern:
        """Take a pattern out of searches and contexts; what is known of it is kept."""
        with self._store.read() as lease:
            number = knowledge.resolve(lease, ref, PATTERN)
        self._items.retire(ref, reason, agent)
        with self._store.read() as lease:
            return knowledge.patterns(lease, [number])[number]

    def list(self, scope: Scope, *, retired: bool = False) -> tuple[Pattern, ...]:
        """The patterns that a scope has added, the surest first; `retired` ones on request."""
        with self._store.read() as lease:
            wanted = knowledge.numbers(lease, [PATTERN], scope, retired=retired)
            found = knowledge.patterns(lease, wanted)
        return tuple(sorted((found[number] for number in wanted), key=lambda one: -one.confidence))

    # -- inside ------------------------------------------------------------------------------------

    def _texts(self, problem: str, solution: str) -> tuple[str, str]:
        longest = self._reading.max_bytes // 2
        return (
            texts.text(problem, "the problem of a pattern", longest).strip(),
            texts.text(solution, "the solution of a pattern", longest).strip(),
        )

    def _draft(self, problem: str, solution: str, path: str) -> Draft:
        """One document of two texts, each cut into chunks by itself, so that a chunk is of one of them."""
        first, second = self._reading.text(problem, path=path), self._reading.text(solution, path=path)
        start, line = len(first.body) + len(BETWEEN), first.body.count("\n") + BETWEEN.count("\n")
        chunks = (
            *(replace(chunk, kind=PROBLEM) for chunk in first.chunks),
            *(_shifted(chunk, start, line) for chunk in second.chunks),
        )
        return replace(
            first, body=first.body + BETWEEN + second.body, chunks=chunks, type=PATTERN, layer=LAYER,
            titled=False, links=(*first.links, *second.links),
        )  # fmt: skip

    def _kept(
        self, lease: Lease, draft: Draft, values: tuple[str, str, float, int, int], tags: Sequence[str]
    ) -> Pattern:
        number = items.put(lease, draft, content_hash(draft.body.encode()), tags)
        knowledge.put_pattern(lease, number, values)
        return knowledge.patterns(lease, [number])[number]


def learn(lease: Lease, number: int, outcome: Outcome) -> Change:
    """Move the confidence of a pattern by one more outcome."""
    old = knowledge.patterns(lease, [number])[number]
    after = moved(old.confidence, old.tried, outcome)
    successes = old.successes + (outcome == "success")
    failures = old.failures + (outcome == "failure")
    knowledge.put_pattern(lease, number, (old.problem, old.solution, after, successes, failures))
    return Change(old.document.id, old.document.title, old.confidence, after, successes, failures)


def _shifted(chunk: ChunkDraft, characters: int, lines: int) -> ChunkDraft:
    return replace(
        chunk, kind=SOLUTION, start_char=chunk.start_char + characters, end_char=chunk.end_char + characters,
        start_line=chunk.start_line + lines, end_line=chunk.end_line + lines,
    )  # fmt: skip
