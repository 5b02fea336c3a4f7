"""A document prepared for reading: control characters replaced, Markdown parsed, code colored."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache, cached_property
from itertools import accumulate
from operator import attrgetter
from typing import TYPE_CHECKING, Literal

from ark_tui.domain.display import visible
from ark_tui.domain.documents import Passage
from ark_tui.interfaces.tui.reading import sheet
from ark_tui.interfaces.tui.reading.markdown import Built, Heading, Linked, build
from ark_tui.interfaces.tui.reading.sheet import Sheet
from ark_tui.interfaces.tui.reading.text import Piece, cut, joined

if TYPE_CHECKING:
    from pygments.lexer import Lexer

    from ark_tui.interfaces.tui.state.colours import Name

Form = Literal["rendered", "raw"]

MARKDOWN = (".md", ".markdown", ".mdx")

COLORED = 300_000
"""Maximum characters of code that is colored: a million take more than a second."""

INKS: tuple[tuple[str, Name], ...] = (
    ("Token.Comment", "code-comment"),
    ("Token.Literal.String", "code-string"),
    ("Token.Literal.Number", "code-number"),
    ("Token.Keyword.Constant", "code-number"),
    ("Token.Keyword", "code-keyword"),
    ("Token.Operator.Word", "code-keyword"),
    ("Token.Name.Tag", "code-keyword"),
    ("Token.Name.Function", "code-name"),
    ("Token.Name.Class", "code-name"),
    ("Token.Name.Decorator", "code-name"),
    ("Token.Name.Attribute", "code-name"),
    ("Token.Generic.Heading", "heading"),
    ("Token.Generic.Subheading", "heading"),
    ("Token.Generic.Emph", "emphasis"),
    ("Token.Generic.Strong", "strong"),
    ("Token.Generic.Inserted", "code-string"),
    ("Token.Generic.Deleted", "code-number"),
)
"""Styles by prefix of the token type; the first match wins."""

_NOT_A_WORD = re.compile(r"[^\w]+")


class Page:
    """One document. Created in a thread; its results may be used in any thread."""

    def __init__(self, passage: Passage) -> None:
        self.passage = passage
        self.text = visible(passage.text)
        self.markdown = is_markdown(passage)
        self.astray: frozenset[tuple[str, bool]] = frozenset()  # target and kind of broken links
        self._lines = array("l", accumulate((len(line) + 1 for line in self.text.split("\n")), initial=0))
        self.built = build(self.text) if self.markdown else Built()
        codes = [block for block in self.built.blocks if block.kind == "code" and block.language]
        if sum(len(joined(block.pieces)) for block in codes) <= COLORED:
            for block in codes:
                block.pieces = colored(block.pieces, _lexer(block.language))

    def sheet(self, form: Form, width: int) -> Sheet:
        """The rows for a width in cells, which includes line numbers."""
        if form == "rendered" and self.markdown:
            return sheet.rendered(self.built.blocks, width)
        last = self.passage.start_line + len(self._lines) - 2
        return sheet.written(self.text, self._written, width, last)

    @cached_property
    def _written(self) -> list[Piece]:
        """The raw text, in the colors of its language."""
        pieces = [Piece(self.text, (), 0, verbatim=True)]
        return colored(pieces, _file_lexer(self.passage.document.path, markdown=self.markdown))

    def line_of(self, place: int) -> int:
        """The line number at an offset, counted in the complete document."""
        return min(bisect_right(self._lines, place), len(self._lines) - 1) + self.passage.start_line - 1

    def stretch(self, lines: tuple[int, int]) -> tuple[int, int]:
        """The range of text between a first and last line, inclusive; empty if the last line comes first."""
        first, last = (line - self.passage.start_line for line in lines)
        return self._line_start(first), max(self._line_start(first), self._line_start(last + 1))

    def whole_lines(self, start: int, end: int) -> tuple[int, int]:
        """The range of the complete lines that contain a range of text."""
        first, last = bisect_right(self._lines, start) - 1, bisect_right(self._lines, max(start, end - 1)) - 1
        return self._line_start(first), self._line_start(last + 1)

    def _line_start(self, line: int) -> int:
        return min(self._lines[max(0, min(line, len(self._lines) - 1))], len(self.text))

    def heading(self, name: str) -> Heading | None:
        """The heading for an anchor, given as text or as a slug (`where-it-fails`)."""
        wanted = _slug(name)
        return next((one for one in self.built.headings if _slug(one.text) == wanted), None)

    def link_at(self, place: int) -> int:
        """The index of the link at an offset; −1 if there is none."""
        index = bisect_right(self.built.links, place, key=attrgetter("start")) - 1
        return index if index >= 0 and place < self.built.links[index].end else -1

    def link(self, number: int) -> Linked | None:
        """The link with an index; None if there is no such link."""
        return self.built.links[number] if 0 <= number < len(self.built.links) else None

    def leads_nowhere(self, number: int) -> bool:
        """Whether the link with an index is known to be broken."""
        linked = self.link(number)
        return linked is not None and (linked.target, linked.wiki) in self.astray


def is_markdown(passage: Passage) -> bool:
    """Whether a document is Markdown, by its file name. Texts without a file count as Markdown."""
    path = passage.document.path.lower()
    return path.endswith(MARKDOWN) or (not passage.file and "." not in path.rpartition("/")[2])


def colored(pieces: list[Piece], lexer: Lexer | None) -> list[Piece]:
    """Code in colors; unchanged without a lexer or if it is too long."""
    text = joined(pieces)
    if lexer is None or len(text) > COLORED:
        return pieces
    found = list(_inks(lexer, text))
    rows = cut(pieces, [(start, end) for start, end, _ in found])
    return [
        piece._replace(styles=(ink,)) if ink else piece
        for (_, _, ink), row in zip(found, rows, strict=True)
        for piece in row
    ]


def _inks(lexer: Lexer, text: str) -> Iterator[tuple[int, int, Name | None]]:
    r"""Ranges of a text with one style each, or none, in order and without gaps.

    A lexer converts `\r\n` to `\n` and would shift offsets, so `\r` is replaced by a space.
    """
    at, start, now = 0, 0, None
    for kind, value in lexer.get_tokens(text.replace("\r", " ")):
        ink = _ink(str(kind))
        if ink != now and value.strip():
            if at > start:
                yield start, at, now
            start, now = at, ink
        at += len(value)
    if len(text) > start:
        yield start, len(text), now


@cache
def _ink(kind: str) -> Name | None:
    return next((ink for prefix, ink in INKS if kind.startswith(prefix)), None)


@cache
def _lexer(language: str) -> Lexer | None:
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def _file_lexer(path: str, *, markdown: bool) -> Lexer | None:
    from pygments.lexers import get_lexer_for_filename
    from pygments.util import ClassNotFound

    if markdown:
        return _lexer("markdown")
    try:
        lexer = get_lexer_for_filename(path.rpartition("/")[2], stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
    return None if lexer.name == "Text only" else lexer


def _slug(name: str) -> str:
    return _NOT_A_WORD.sub("-", name.casefold()).strip("-")
