"""From pieces to chunks: join small pieces, split large ones, lose no text.

A strategy determines where pieces begin. Pieces have no gaps between them, so every non-blank character is
in a chunk, however pieces are split or joined here.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate
from typing import NamedTuple, TypeAlias

from ark_tui.domain.documents import ChunkDraft
from ark_tui.embedding import static

WHOLE = 8  # a fence is kept whole up to this many times the limit
WIDE_INDENT = 200  # spaces before a first word beyond which they do not count as indentation

_INK = re.compile(r"\S")
_SENTENCE_END = re.compile(r"[.!?…][\"'”’)\]]*\s+|[。！？]")


class Piece(NamedTuple):
    """A unit of a body: a paragraph, a fence, a function."""

    start: int
    end: int
    heading: str = ""
    fresh: bool = False  # begins a new chunk
    whole: bool = False  # not to be split
    kind: str = "text"
    language: str = ""
    text: int = 0  # offset of the text below its heading: a split before that would separate the heading
    last: int = 0  # offset of its last word, if only headings follow: a split after that would separate them


class Span(NamedTuple):
    """A future chunk: its offsets, and the piece that gives its heading and kind."""

    start: int
    end: int
    piece: Piece


def pack(body: str, pieces: Iterable[Piece], limit: int, ruler: Ruler) -> Iterator[Span]:
    """Join adjacent pieces up to `limit` tokens; split larger pieces."""
    held: Span | None = None
    for piece in pieces:
        if held and not piece.fresh and ruler.count(held.start, piece.end) <= limit:
            first = held.piece
            if (first.kind, first.language) != (piece.kind, piece.language):
                first = first._replace(kind="text", language="")
            held = Span(held.start, piece.end, first)
            continue
        if held:
            yield held
        *full, last = split(body, piece, limit * WHOLE if piece.whole else limit, limit, ruler)
        for start, end in full:
            yield Span(start, end, piece)
        held = Span(*last, piece)
    if held:
        yield held


def split(body: str, piece: Piece, most: int, limit: int, ruler: Ruler) -> list[tuple[int, int]]:
    """Split a piece of more than `most` tokens at natural breaks into parts of up to `limit`."""
    start, end = piece.start, piece.end
    parts = []
    while ruler.count(start, end) > most:
        most = limit
        far = ruler.reach(start, limit)
        if far >= end:
            break
        low = max(start, piece.text) if piece.text < far else start
        cut = pause(body, low, min(far, piece.last) if low < piece.last else far)
        parts.append((start, cut))
        start = cut
    return [*parts, (start, end)]


def pause(body: str, start: int, far: int) -> int:
    """The best split offset in the second half of `start … far`.

    After a blank line, else a line, a sentence or a word, else at `far`.
    """
    half = start + (far - start) // 2
    for border in ("\n\n", "\n"):
        if (at := body.rfind(border, half, far)) >= 0:
            return at + len(border)
    if ends := [match.end() for match in _SENTENCE_END.finditer(body, half, far)]:
        return ends[-1]
    if (at := body.rfind(" ", half, far)) >= 0:
        return at + 1
    return far


def drafts(body: str, spans: Iterable[Span], ruler: Ruler) -> Iterator[ChunkDraft]:
    """Convert spans to drafts: trimmed, with line numbers. Blank spans are left out."""
    seen, line = 0, 1
    for span in spans:
        ink = _INK.search(body, span.start, span.end)
        if ink is None:
            continue
        start = _indented(body, span.start, ink.start())
        end = span.start + len(body[span.start : span.end].rstrip())
        line += body.count("\n", seen, start)
        seen = start
        yield ChunkDraft(
            start_char=start,
            end_char=end,
            start_line=line,
            end_line=line + body.count("\n", start, end),
            tokens=ruler.count(start, end),
            heading=span.piece.heading,
            kind=span.piece.kind,
            language=span.piece.language,
        )


def _indented(body: str, start: int, ink: int) -> int:
    """Offset of the first non-blank line, including its indentation."""
    line = body.rfind("\n", start, ink) + 1
    if line == 0:
        line = start if start == 0 or body[start - 1] == "\n" else ink
    return line if ink - line <= WIDE_INDENT else ink


class Ruler:
    """Token counts of one text by character offset. A partially covered unit counts in full."""

    __slots__ = ("_places", "_totals")

    def __init__(self, lengths: Iterable[int], counts: Iterable[int]) -> None:
        """`lengths`: characters of each unit, in order, covering the whole text; `counts`: its tokens."""
        self._places = list(accumulate(lengths, initial=0))
        self._totals = list(accumulate(counts, initial=0))

    def count(self, start: int, end: int) -> int:
        """Tokens of the text from `start` up to `end`."""
        return self._totals[bisect_left(self._places, end)] - self._totals[self._unit(start)]

    def reach(self, start: int, tokens: int) -> int:
        """End offset of `tokens` tokens from `start`: a unit boundary, always after `start`."""
        first = self._unit(start)
        last = bisect_right(self._totals, self._totals[first] + tokens) - 1
        return self._places[min(max(last, first + 1), len(self._places) - 1)]

    def back(self, end: int, tokens: int) -> int:
        """Start offset of the last `tokens` tokens before `end`: a unit boundary."""
        last = bisect_left(self._places, end)
        return self._places[min(bisect_left(self._totals, self._totals[last] - tokens), last)]

    def _unit(self, offset: int) -> int:
        return bisect_right(self._places, offset) - 1


Measure: TypeAlias = Callable[[str], Ruler]


UNIT = re.compile(r" {0,64}[^ \n\u2e80-\U0010ffff]{1,40}|[\u2e80-\U0010ffff]{1,4}| {1,64}|\n")
"""Units that the static model tokenizes independently: a word with leading spaces, a line break, spaces.

Very long words, and scripts without spaces, are split into short runs.
"""


def measured(text: str) -> Ruler:
    """Count the tokens of a text with the static model's tokenizer. Raises `ModelUnavailable`."""
    units = UNIT.findall(text)
    return Ruler(map(len, units), static.counts(units))
