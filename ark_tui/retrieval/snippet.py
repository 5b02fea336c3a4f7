"""Query matches in a text, and the snippet around the best of them."""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import pairwise
from typing import TYPE_CHECKING

from ark_tui.domain.hits import Snippet
from ark_tui.domain.unicode import aligned, normal
from ark_tui.index.words import analysis
from ark_tui.index.words.terms import stems

if TYPE_CHECKING:
    from ark_tui.index.words.terms import Terms

WORD = re.compile(r"\w+")
WIDTH = 240  # characters of a snippet
LEAD = 60  # characters of a snippet before the first match


def matches(text: str, terms: Terms, language: str = "") -> list[tuple[int, int]]:
    """Sorted, non-overlapping character ranges of a text that match the query's terms."""
    if (plain := normal(text)) != text:
        plain, places = aligned(text)
        return [(places[start], places[end]) for start, end in matches(plain, terms, language)]
    found: list[tuple[int, int]] = []
    wanted = terms.stems_in(language)
    if wanted or terms.prefix:
        begins = (terms.prefix,) if terms.prefix else ()
        for match in WORD.finditer(text):
            word = match.group()
            if not wanted.isdisjoint(stems(word, language)) or word.lower().startswith(begins):
                found.append(match.span())
    if terms.identifiers:
        pattern = "|".join(sorted(map(re.escape, terms.identifiers), key=len, reverse=True))
        found += [match.span() for match in re.finditer(pattern, text, re.IGNORECASE)]
    plain = analysis.simplified(text) if terms.spaceless else ""
    for pair in terms.spaceless:
        found += [match.span() for match in re.finditer(re.escape(pair), plain)]
    return _merged(found)


def make(text: str, first_line: int, terms: Terms, language: str = "") -> Snippet:
    """The part of a chunk with the most distinct matches, cut at lines or words, with line numbers.

    `first_line` is the line number of the text's first character.
    """
    spans = matches(text, terms, language)
    start = _start(text, spans)
    end = _end(text, start)
    shown = text[start:end]
    line = first_line + text.count("\n", 0, start)
    inside = tuple((a - start, b - start) for a, b in spans if a >= start and b <= end)
    return Snippet(shown, line, line + shown.count("\n"), inside)


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    spans.sort()
    if all(end < start for (_, end), (start, _) in pairwise(spans)):
        return spans
    merged: list[tuple[int, int]] = []
    for start, end in spans:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _start(text: str, spans: list[tuple[int, int]]) -> int:
    """The start offset that shows the most distinct matches, at a line or word boundary."""
    if not spans or len(text) <= WIDTH:
        return len(text) - len(text.lstrip())
    starts = [start for start, _ in spans]

    def worth(i: int) -> tuple[int, int]:
        last = bisect_left(starts, starts[i] + WIDTH - LEAD)
        return len({text[a:b].lower() for a, b in spans[i:last]}), last - i

    best = max(range(min(len(spans), 500)), key=worth)
    earliest = max(0, starts[best] - LEAD)
    newline = text.rfind("\n", earliest, starts[best])
    if newline >= 0:
        return newline + 1
    blank = text.find(" ", earliest, starts[best])
    return blank + 1 if blank >= 0 and earliest else earliest


def _end(text: str, start: int) -> int:
    end = min(len(text), start + WIDTH)
    if end < len(text):
        blank = max(text.rfind(" ", start, end), text.rfind("\n", start, end))
        if blank > start + WIDTH // 2:
            end = blank
    return start + len(text[start:end].rstrip())
