"""What a Markdown document is made of once it is read: blocks, headings and links, with their places."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from ark_tui.interfaces.tui.state.colours import Name

Styles = tuple[Name, ...]
"""Names of inks that lie over each other, the first one lowest."""

Align = Literal["left", "right", "center"]

Kind = Literal["text", "heading", "code", "table", "rule", "source", "chips"]
"""`source` is shown as it is written: HTML, definitions of links; `chips` is front matter, in one row."""


UNDERLINED = {1: "━", 2: "─"}
"""What is drawn below headings of these levels."""


class Run(NamedTuple):
    """A stretch of a block's text, which reaches to where the next one begins."""

    at: int  # in the block's text
    source: int  # in the document
    styles: Styles = ()
    verbatim: bool = True  # it stands in the document letter by letter, from `source` on


class Piece(NamedTuple):
    """A stretch of a row as it is drawn; `source` is −1 for what the document does not say."""

    text: str
    styles: Styles = ()
    source: int = -1
    verbatim: bool = False


@dataclass(slots=True)
class Cell:
    """A cell of a table: text on one line."""

    text: str = ""
    runs: list[Run] = field(default_factory=list)


@dataclass(slots=True)
class Table:
    """The head and the other rows; rows may have fewer cells than there are alignments."""

    aligns: tuple[Align, ...]
    rows: list[list[Cell]] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)  # of each row in the document


@dataclass(slots=True)
class Block:
    """A paragraph, a heading, a fence and the like, without what it is in: that is what stands before it."""

    kind: Kind
    start: int
    end: int
    text: str = ""
    runs: list[Run] = field(default_factory=list)
    first: str = ""  # before its first row: a bullet, the bar of a quote
    rest: str = ""  # before its other rows; as wide
    gap: str | None = None  # before the blank row above it, where there is one
    level: int = 0  # of a heading, 1 to 6
    language: str = ""
    table: Table | None = None


class Heading(NamedTuple):
    """A heading or, in source code, a symbol."""

    level: int
    text: str
    start: int


class Linked(NamedTuple):
    """A link as it is written, `[start:end]` of the document; what is shown of it is at `shown`."""

    start: int
    end: int
    target: str
    wiki: bool
    label: str
    shown: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Built:
    """A document that has been read; headings and links in the order of the text."""

    blocks: tuple[Block, ...] = ()
    headings: tuple[Heading, ...] = ()
    links: tuple[Linked, ...] = ()


def sources(runs: list[Run], start: int, end: int) -> list[tuple[int, int, Run]]:
    """The runs of a stretch of a block's text: where each begins and ends in it, and the run."""
    index = max(0, bisect_right(runs, start, key=_at) - 1)
    found = []
    while index < len(runs) and runs[index].at < end:
        stop = runs[index + 1].at if index + 1 < len(runs) else end
        a, b = max(start, runs[index].at), min(end, stop)
        if a < b:
            found.append((a, b, runs[index]))
        index += 1
    return found


def pieces(text: str, runs: list[Run], start: int, end: int) -> list[Piece]:
    """A stretch of a block's text as pieces to draw."""
    return [
        Piece(text[a:b], run.styles, run.source + (a - run.at if run.verbatim else 0), run.verbatim)
        for a, b, run in sources(runs, start, end)
    ]


def source(runs: list[Run], at: int, otherwise: int) -> int:
    """Where in the document a place of a block's text stands."""
    index = bisect_right(runs, at, key=_at) - 1
    if index < 0:
        return otherwise
    run = runs[index]
    return run.source + (at - run.at if run.verbatim else 0)


def _at(run: Run) -> int:
    return run.at
