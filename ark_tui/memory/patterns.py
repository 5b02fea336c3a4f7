"""Patterns: a problem, its solution, and a confidence from reported outcomes (layer 4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ark_tui.domain.outcomes import Change, Outcome, moved
from ark_tui.store import Lease, knowledge

if TYPE_CHECKING:
    from ark_tui.domain.documents import ChunkDraft, Draft
    from ark_tui.ingest.reading import Reading

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
