"""Chunking: exact offsets, counted tokens, no text lost.

Every strategy only determines where chunks may begin; a chunk ends where the next one begins. Only
`sliding-window` overlaps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ark_tui.domain.documents import ChunkDraft
from ark_tui.domain.errors import UsageError
from ark_tui.ingest.chunk import strategies, symbols
from ark_tui.ingest.chunk.pack import Measure, Piece, Ruler, drafts, pack
from ark_tui.ingest.markdown import Block, outline
from ark_tui.settings.config import STRATEGIES

VERSION = 7  # increased when parsing or chunking changes: all files are then read again once
MAX_TOKENS = 500
TEXT_TOKENS = 256
OVERLAP = 50


def chunk(
    body: str,
    strategy: str = "auto",
    max_tokens: int = MAX_TOKENS,
    *,
    measure: Measure,
    start: int = 0,
    blocks: Sequence[Block] | None = None,
    language: str = "",
    overlap: int = OVERLAP,
) -> tuple[ChunkDraft, ...]:
    """Split `body` from `start` on into chunks of up to `max_tokens` tokens, in text order.

    `blocks`: structure of the text (`markdown.outline`, `strategies.paragraphs`); without it, the text is
    parsed as Markdown. `language`: that of source code, for `symbol` and `auto`. A fence is kept whole up to
    eight times `max_tokens`. Raises `UsageError` for an unknown strategy.
    """
    if strategy not in STRATEGIES:
        raise UsageError(f"There is no chunk strategy {strategy}.", f"Use one of: {', '.join(STRATEGIES)}.")
    if not body[start:].strip():
        return ()
    ruler = measure(body)
    limit = max(max_tokens - 1, 1)  # the tokenizer puts a space before a text: one token
    if strategy == "sliding-window":
        return tuple(drafts(body, strategies.windows(start, len(body), limit, overlap, ruler), ruler))
    if strategy == "text":
        limit = min(limit, TEXT_TOKENS - 1)
    pieces = _pieces(body, strategy, start, blocks, language, ruler)
    return tuple(drafts(body, pack(body, pieces, limit, ruler), ruler))


def _pieces(
    body: str, strategy: str, start: int, blocks: Sequence[Block] | None, language: str, ruler: Ruler
) -> Iterator[Piece]:
    by_content = strategy in ("auto", "symbol")
    if by_content and (found := symbols.pieces(body, language, start)):
        return iter(found)
    if blocks is None:
        blocks = strategies.paragraphs(body, start) if language else outline(body, start).blocks
    if by_content:
        strategy = strategies.fitting(blocks)
    found = list(strategies.sections(body, blocks, start))
    if strategy == "markdown-headers":
        return iter(found)
    if strategy == "code-blocks":
        return strategies.code_blocks(body, found, ruler)
    return strategies.flowing(found)
