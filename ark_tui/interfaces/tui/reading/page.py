"""A document made ready for reading, in a thread: harmless, taken apart, and laid out at a width."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from copy import copy
from itertools import accumulate
from typing import Literal

from ark_tui.domain.display import visible
from ark_tui.domain.documents import Passage
from ark_tui.interfaces.tui.reading import colour
from ark_tui.interfaces.tui.reading.blocks import Built, Heading, Linked, Run
from ark_tui.interfaces.tui.reading.layout import Rendered, Sheet, Written
from ark_tui.interfaces.tui.reading.markdown import build

Form = Literal["rendered", "raw"]

MARKDOWN = (".md", ".markdown", ".mdx")

AT_ONCE = 20_000
"""Characters of code that are coloured before a document is shown."""

LATER = 500_000
"""Characters of code that are coloured after that; what has more stays without colours."""

GLIMPSE = 40_000
"""Characters of a longer document that are read first, so that it can be shown at once."""

_NOT_A_WORD = re.compile(r"[^\w]+")


class Page:
    """One document. It is made in a thread, and coloured further in that; what it hands out is for any."""

    def __init__(self, passage: Passage, around: int | None = None) -> None:
        """`around`: read only a glimpse of it, what is around this line of a long document."""
        self.passage = passage
        self.text = visible(passage.text)
        self.markdown = is_markdown(passage)
        self.astray: frozenset[tuple[str, bool]] = frozenset()  # target and kind of links to no document
        self._lines = array("l", accumulate((len(line) + 1 for line in self.text.split("\n")), initial=0))
        self._read(1 if around is None else around, whole=around is None or len(self.text) <= GLIMPSE)

    def _read(self, line: int, *, whole: bool) -> None:
        self.whole = whole
        self.built = self._build(line) if self.markdown else Built()
        self.runs = list(_written(self.built))
        self._codes = [block for block in self.built.blocks if block.kind == "code" and block.language]

    def _build(self, line: int) -> Built:
        if self.whole:
            return build(self.text)
        place = self._line_start(line - self.passage.start_line)
        start = self.text.rfind("\n\n", 0, max(0, place - GLIMPSE // 2)) + 2
        return build(self.text, start if start > 1 else 0, start + GLIMPSE)

    def completed(self) -> Page:
        """The whole of what this is a glimpse of; itself, where it is whole."""
        if self.whole:
            return self
        page = copy(self)
        page._read(1, whole=True)  # noqa: SLF001 - of its own kind
        return page

    def sheet(self, form: Form, width: int) -> Sheet:
        """Its rows at a width in cells, line numbers included."""
        if form == "rendered" and self.markdown:
            return Rendered(self.built.blocks, width)
        return Written(self.text, self.runs, width, self.passage.start_line + len(self._lines) - 2)

    # -- lines ---------------------------------------------------------------------------------------

    def line_of(self, place: int) -> int:
        """The number of the line at a place, as the whole document counts them."""
        return min(bisect_right(self._lines, place), len(self._lines) - 1) + self.passage.start_line - 1

    def stretch(self, lines: tuple[int, int]) -> tuple[int, int]:
        """Where some lines begin and end, the first and the last given; empty where the last is before."""
        first, last = (line - self.passage.start_line for line in lines)
        return self._line_start(first), max(self._line_start(first), self._line_start(last + 1))

    def whole_lines(self, start: int, end: int) -> tuple[int, int]:
        """The lines that a stretch of the text is in."""
        first, last = bisect_right(self._lines, start) - 1, bisect_right(self._lines, max(start, end - 1)) - 1
        return self._line_start(first), self._line_start(last + 1)

    def _line_start(self, line: int) -> int:
        return min(self._lines[max(0, min(line, len(self._lines) - 1))], len(self.text))

    # -- headings and links --------------------------------------------------------------------------

    def heading(self, name: str) -> Heading | None:
        """The heading that an anchor names, as it is written or as addresses have it (`where-it-fails`)."""
        wanted = _slug(name)
        return next((one for one in self.built.headings if _slug(one.text) == wanted), None)

    def link_at(self, place: int) -> int:
        """The number of the link at a place of the text; −1 where there is none."""
        index = bisect_right(self.built.links, place, key=_start) - 1
        return index if index >= 0 and place < self.built.links[index].end else -1

    def link(self, number: int) -> Linked | None:
        """A link by its number; none where there is no such one."""
        return self.built.links[number] if 0 <= number < len(self.built.links) else None

    def leads_nowhere(self, number: int) -> bool:
        """Whether it is known of a link, by its number, that there is no document at its end."""
        linked = self.link(number)
        return linked is not None and (linked.target, linked.wiki) in self.astray

    # -- colours of code -----------------------------------------------------------------------------

    def colour(self, most: int) -> bool:
        """Give code its colours if there are not more than so many characters of it; whether it has them."""
        if not self.markdown:
            return len(self.text) <= most and self._colour_file()
        if sum(len(block.text) for block in self._codes) > most:
            return False
        for block in self._codes:
            block.runs = colour.coloured(block) or block.runs
        return True

    def _colour_file(self) -> bool:
        self.runs[:] = colour.of_file(self.passage.document.path, self.text) or self.runs
        return True


def is_markdown(passage: Passage) -> bool:
    """Whether it is Markdown: by the name of its file; a text that was handed in may well be."""
    path = passage.document.path.lower()
    return path.endswith(MARKDOWN) or (not passage.file and "." not in path.rpartition("/")[2])


def _slug(name: str) -> str:
    return _NOT_A_WORD.sub("-", name.casefold()).strip("-")


def _start(linked: Linked) -> int:
    return linked.start


def _written(built: Built) -> Iterator[Run]:
    """The styles of a document as it is written: its headings, code, emphasis and links where they stand."""
    yield Run(0, 0)
    at = 0
    for start, end, run in _styled(built):
        if at <= start < end:
            yield Run(start, start, run.styles)
            yield Run(end, end)
            at = end


def _styled(built: Built) -> Iterator[tuple[int, int, Run]]:
    for block in built.blocks:
        if block.kind in {"heading", "code"}:
            yield block.start, block.end, Run(0, 0, ("heading" if block.kind == "heading" else "code",))
        elif block.table is not None:
            for row in block.table.rows:
                for cell in row:
                    yield from _stretches(cell.text, cell.runs)
        else:
            yield from _stretches(block.text, block.runs)


def _stretches(text: str, runs: list[Run]) -> Iterator[tuple[int, int, Run]]:
    for index, run in enumerate(runs):
        if run.styles and run.verbatim:
            end = runs[index + 1].at if index + 1 < len(runs) else len(text)
            yield run.source, run.source + end - run.at, run
