"""The kinds of items: facts, patterns and directives, a row each. A new kind needs a row and operations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ark_tui.domain.knowledge import DIRECTIVE, FACT, PATTERN, Directive, Fact, Pattern
from ark_tui.domain.layers import DIRECTIVE as HELD
from ark_tui.domain.layers import PATTERN as SOLVED
from ark_tui.domain.layers import SEMANTIC
from ark_tui.domain.outcomes import FIRST_CONFIDENCE, Change, Outcome, moved
from ark_tui.memory import directives, texts
from ark_tui.memory.known import EVERYBODY, Kind, Values
from ark_tui.store import Lease, knowledge

if TYPE_CHECKING:
    from ark_tui.domain.documents import ChunkDraft, Draft
    from ark_tui.ingest.reading import Reading


def _fact(values: Values, longest: int) -> Values:
    return values | {"text": texts.text(values["text"], "a fact", longest)}


def _fact_draft(reading: Reading, values: Values, path: str) -> Draft:
    return replace(reading.text(values["text"], path=path), source_id=values["source"])


def _same_fact(lease: Lease, values: Values, whose: tuple[str, str]) -> int | None:
    return knowledge.same(lease, FACT, values["text"], values["source"], whose=whose)


def _pattern(values: Values, longest: int) -> Values:
    checked = {
        name: texts.text(values[name], f"the {name} of a pattern", longest // 2).strip()
        for name in ("problem", "solution")
    }
    return values | checked


def _same_pattern(lease: Lease, values: Values, whose: tuple[str, str]) -> int | None:
    body = values["problem"] + BETWEEN + values["solution"]
    return knowledge.same(lease, PATTERN, body, whose=whose)


def _put_pattern(lease: Lease, number: int, values: Values) -> None:
    names = ("problem", "solution", "confidence", "successes", "failures")
    knowledge.put_pattern(lease, number, tuple(values[name] for name in names))


def _same_directive(lease: Lease, values: Values, whose: tuple[str, str]) -> int | None:
    wanted = (values["kind"], values["text"], values["scope"], *whose)
    known = knowledge.directives(lease, knowledge.numbers(lease, [DIRECTIVE], EVERYBODY))
    return next(
        (
            number
            for number, one in known.items()
            if (one.kind, one.text, one.scope, one.owner, one.project) == wanted
        ),
        None,
    )


def _put_directive(lease: Lease, number: int, values: Values) -> None:
    knowledge.put_directive(lease, number, (values["kind"], values["scope"], values["priority"]))


BETWEEN = "\n\n"  # between problem and solution in the text of the document
PROBLEM, SOLUTION = "problem", "solution"
"""Kinds of chunks: patterns are searched by their problem."""


def draft(reading: Reading, values: Mapping[str, Any], path: str) -> Draft:
    """A document of problem and solution, chunked separately, so that no chunk has text of both."""
    first, second = (reading.text(values[name], path=path) for name in (PROBLEM, SOLUTION))
    start, line = len(first.body) + len(BETWEEN), first.body.count("\n") + BETWEEN.count("\n")
    chunks = (
        *(replace(chunk, kind=PROBLEM) for chunk in first.chunks),
        *(_shifted(chunk, start, line) for chunk in second.chunks),
    )
    return replace(
        first, body=first.body + BETWEEN + second.body, chunks=chunks, titled=False,
        links=(*first.links, *second.links),
    )  # fmt: skip


def learn(lease: Lease, number: int, outcome: Outcome) -> Change:
    """The confidence of a pattern after one more outcome."""
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


KINDS: Mapping[str, Kind[Any]] = {
    "facts": Kind[Fact](
        FACT, SEMANTIC, ("text", "source"), knowledge.facts, _fact, _fact_draft, _same_fact,
        defaults={"source": ""},
    ),
    "patterns": Kind[Pattern](
        PATTERN, SOLVED, ("problem", "solution"), knowledge.patterns, _pattern, draft,
        _same_pattern, _put_pattern, order=lambda one: -one.confidence,
        defaults={"confidence": FIRST_CONFIDENCE, "successes": 0, "failures": 0},
    ),
    "directives": Kind[Directive](
        DIRECTIVE, HELD, ("kind", "text", "scope", "priority"), knowledge.directives, directives.checked,
        directives.draft, _same_directive, _put_directive, order=directives.precedence,
        defaults={"scope": "", "priority": 0}, renewed=True,
    ),
}  # fmt: skip
