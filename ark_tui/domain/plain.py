"""Markdown as plain text, without the markup of headings, lists, links and emphasis.

For excerpts in lists; the reader renders Markdown properly.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

SIGNS = re.compile(
    r"""(?mx)
    <!--[\s\S]*?(?:-->|\Z)                                                  # comments and tags of HTML
    | </?[A-Za-z][A-Za-z0-9-]*(?:\s[^<>\n]*)?/?>
    | ^[ \t]*(?:`{3,}[^`\n]*|~{3,}[^\n]*)(?:\n|\Z)                             # the fences of code
    | ^[ \t]*(?:\#{1,6}[ \t]+|(?:>[ \t]?)+(?:\[!\w+\][+-]?[ \t]*)?)         # heading, quotation, callout
    | ^[ \t]*[-*+][ \t]+(?:\[[ xX]\][ \t]+)?                                # list, task
    | !?\[\[(?:[^\]\n|]*\|)?(?P<wiki>[^\]\n|]+)\]\]                          # [[note]], [[note|text]]
    | !?\[(?P<link>[^\]\n]*)\]\([^)\n]*\)                                    # [text](target)
    | (?<!`)(?P<fence>`+)(?P<code>[^`\n]+)(?P=fence)(?!`)                       # `code`
    | (?<![\w*])(?P<stars>\*{1,3})(?=\S)(?P<strong>[^*\n]+?)(?<=\S)(?P=stars)(?![\w*])
    | (?<![\w_])(?P<lines>_{1,3})(?=\S)(?P<emphasis>[^_\n]+?)(?<=\S)(?P=lines)(?![\w_])
    """
)
"""The markup to remove; the text in it is kept."""

TEXTS = ("wiki", "link", "code", "strong", "emphasis")

Spans = Sequence[tuple[int, int]]


MARKDOWN = (".md", ".markdown", ".mdx")


def plain(text: str, spans: Spans = (), path: str = ".md") -> tuple[str, Spans]:
    """Remove Markdown's markup, and map the spans to the new text; empty spans are dropped.

    Text of a file that is not Markdown, by its `path`, is unchanged.
    """
    if not path.casefold().endswith(MARKDOWN):
        return text, spans
    kept = [*_kept(text)]

    def moved(place: int) -> int:
        return sum(max(0, min(end, place) - start) for start, end in kept)

    places = ((moved(start), moved(end)) for start, end in spans)
    left = "".join(text[start:end] for start, end in kept)
    return left, tuple((start, end) for start, end in places if start < end)


def beneath(title: str, text: str, spans: Spans = ()) -> tuple[str, Spans]:
    """Remove a leading title, which is displayed separately, and shift the spans.

    A text that consists only of the title is unchanged.
    """
    start = len(text) - len(text.lstrip())
    end = start + len(title)
    rest = text[end:].lstrip()
    if not title or text[start:end].casefold() != title.casefold() or not rest or text[end].isalnum():
        return text, spans
    cut = len(text) - len(rest)
    return rest, tuple((begin - cut, stop - cut) for begin, stop in spans if begin >= cut)


def _kept(text: str) -> Iterator[tuple[int, int]]:
    """The ranges to keep."""
    last = 0
    for sign in SIGNS.finditer(text):
        yield last, sign.start()
        yield next((sign.span(name) for name in TEXTS if sign[name] is not None), (sign.end(), sign.end()))
        last = sign.end()
    yield last, len(text)
