"""Where pieces begin, one function per strategy; `pack` turns them into chunks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ark_tui.ingest.chunk.pack import Piece, Ruler, Span
from ark_tui.ingest.markdown import FENCE, HEADING, Block

CRUMB = " › "  # separator of the headings above a chunk
LABEL = 200  # characters of a heading or symbol name repeated in each chunk below it
LEAD_TOKENS = 100  # of the text before a fence that join its chunk
MANY = 3  # minimum number of headings, or else fences, to choose their strategy

_BLANK_LINES = re.compile(r"\n[ \t\r]*\n\s*")
_SENTENCE_START = re.compile(r"(?<=[.!?:])\s+|(?<=[。！？])|\n")


def fitting(blocks: Sequence[Block]) -> str:
    """Choose the strategy for a text: by headings, else by fences, else by paragraphs."""
    if sum(block.kind == HEADING for block in blocks) >= MANY:
        return "markdown-headers"
    if sum(block.kind == FENCE and block.closed for block in blocks) >= MANY:
        return "code-blocks"
    return "paragraph"


def paragraphs(body: str, start: int = 0) -> tuple[Block, ...]:
    """The blocks of a plain text, separated by blank lines."""
    return (Block(start), *(Block(match.end()) for match in _BLANK_LINES.finditer(body, start)))


def sections(body: str, blocks: Sequence[Block], start: int = 0) -> Iterator[Piece]:
    """Blocks as pieces that cover the body from `start` on, each with the path of its headings.

    A heading forms one piece with the block after it, and that piece begins a chunk, so no chunk mixes two
    sections. A section without text joins the next one; the last such section joins the previous one.
    """
    end = len(body)
    crumbs: list[tuple[int, str]] = []
    begin, headed = start, False
    if not blocks or body[start : blocks[0].start].strip():
        blocks = (Block(start), *blocks)
    count = max((n for n, block in enumerate(blocks, 1) if block.kind != HEADING), default=len(blocks))
    last = _last_word(body[: blocks[count].start]) if count < len(blocks) else 0
    blocks = blocks[:count]
    for block, after in zip(blocks, [*(block.start for block in blocks[1:]), end], strict=True):
        if block.kind == HEADING:
            headed = True
            above = [crumb for crumb in crumbs if crumb[0] < block.level]
            crumbs = [*above, (block.level, short(block.label))]
            if after < end:
                continue
        fence = block.kind == FENCE
        yield Piece(
            begin,
            after,
            heading=CRUMB.join(label for _, label in crumbs if label),
            fresh=headed,
            whole=fence,
            kind="code" if fence else "text",
            language=block.label if fence else "",
            text=block.start,
            last=last if after == end else 0,
        )
        begin, headed = after, False


def short(label: str) -> str:
    """A heading, shortened for repetition in chunks; the first chunk has its full text."""
    return label if len(label) <= LABEL else f"{label[:LABEL]}…"


def flowing(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """The same pieces, joined across headings."""
    return (piece._replace(fresh=False) for piece in pieces)


def code_blocks(body: str, pieces: Sequence[Piece], ruler: Ruler) -> Iterator[Piece]:
    """One chunk per fence, with its language and the sentences before it; paragraphs in between."""
    begin, fresh = pieces[0].start, False
    for piece, after in zip(pieces, [*pieces[1:], None], strict=True):
        if piece.kind == "code":
            yield piece._replace(start=begin, fresh=True)
            begin, fresh = piece.end, True
            continue
        leads = after is not None and after.kind == "code" and not after.fresh
        cut = _lead(body, begin, piece, ruler) if leads else piece.end
        if begin < cut:
            yield piece._replace(start=begin, end=cut, fresh=fresh)
            fresh = False
        begin = cut


def windows(start: int, end: int, size: int, overlap: int, ruler: Ruler) -> Iterator[Span]:
    """Windows of `size` tokens, each starting with the last `overlap` tokens of the previous one."""
    while True:
        far = min(ruler.reach(start, size), end)
        yield Span(start, far, Piece(start, far))
        if far >= end:
            return
        start = max(ruler.back(far, overlap), ruler.reach(start, 1))


def _last_word(text: str) -> int:
    """Offset of the last word of a text."""
    text = text.rstrip()
    return max(text.rfind(blank) for blank in " \n\t") + 1


def _lead(body: str, start: int, piece: Piece, ruler: Ruler) -> int:
    """Offset of the last sentences of up to `LEAD_TOKENS` tokens; the end if the last sentence is longer."""
    end = piece.end
    earliest = max(start, ruler.back(end, LEAD_TOKENS) - 1)
    if ruler.count(start, end) <= LEAD_TOKENS or start <= earliest < piece.text:
        return start
    text_end = start + len(body[start:end].rstrip())
    found = _SENTENCE_START.search(body, earliest, text_end)
    return found.end() if found else end
