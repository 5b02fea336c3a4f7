"""The reader: a document as it is written, with line numbers, its matches marked and the hit in view."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style
from textual.content import Content
from textual.reactive import reactive
from textual.strip import Strip

from ark_tui.domain.display import visible, visible_line
from ark_tui.faces.tui.parts import ink
from ark_tui.faces.tui.parts.folding import TAB, Folded, fold
from ark_tui.faces.tui.parts.scroller import Scroller

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual.selection import Selection

    from ark_tui.domain.documents import Passage

MARKDOWN = (".md", ".markdown", ".mdx")
HEADING = re.compile(r"#{1,6} ")
FENCE = ("```", "~~~")
INLINE = re.compile(r"`[^`]+`|\[\[[^\]]+\]\]|(?<=\])\([^)]+\)")
LONGEST_STYLED = 10_000
"""Lines beyond this many characters are shown without inline styles."""

Span = tuple[int, int, Style]


class Reader(Scroller):
    """One document. `n` and `N` go through its matches."""

    BORDER_TITLE = "Document"
    HELP = (
        "The document under the cursor of the results, as it is written. The lines of the piece that matched "
        "are marked beside their numbers, the words that matched in the text."
    )

    match: reactive[int] = reactive(-1)

    def __init__(self) -> None:
        super().__init__(id="reader")
        self.passage: Passage | None = None
        self._text = ""
        self._lines: list[tuple[int, int]] = []  # start of each line, and what kind it is
        self._matches: Sequence[tuple[int, int]] = ()
        self._piece = (0, 0)
        self._rows = Folded()
        self._width = 0
        # an offset to be in view as soon as there is room, and whether a third down or at the top
        self._goal: tuple[int, bool] | None = None

    # -- what is shown -------------------------------------------------------------------------------

    @property
    def line_number(self) -> int:
        """The line to open an editor at: that of the match, else the one at the top."""
        if 0 <= self.match < len(self._matches):
            return self._text.count("\n", 0, self._matches[self.match][0]) + 1
        return self._rows.line[self.row] + 1 if self.row < len(self._rows) else 1

    def show(self, passage: Passage, lines: tuple[int, int], *, keep: bool = False) -> None:
        """Show a document with the piece at `lines` (from 1, inclusive) in view, or (`keep`) where it was."""
        top = self._offset_of_row(self.row)
        self.passage = passage
        self._text = visible(passage.text)
        self._lines = list(_kinds(self._text, passage.document.path))
        self._matches = passage.highlights
        self._piece = (lines[0] - passage.start_line, lines[1] - passage.start_line)
        self._rows, self._width = Folded(), 0
        start, end = self._offset_of_line(self._piece[0]), self._offset_of_line(self._piece[1] + 1)
        first = bisect_left(self._matches, (start, 0))
        inside = first < len(self._matches) and self._matches[first][0] < end
        if not keep or self.match >= len(self._matches):
            self.set_reactive(Reader.match, first if inside else min(first, len(self._matches) - 1))
        self._goal = (top, False) if keep else (self._matches[first][0] if inside else start, True)
        self._fold()
        self._say()

    def clear(self) -> None:
        """Show nothing."""
        self.passage = None
        self._text, self._lines, self._matches = "", [], ()
        self._rows, self._width, self._goal = Folded(), 0, None
        self.set_reactive(Reader.match, -1)
        self._fold()
        self.border_title = Content(self.BORDER_TITLE or "")
        self.border_subtitle = None

    def piece(self) -> str:
        """The text of the lines that matched."""
        start, end = self._offset_of_line(self._piece[0]), self._offset_of_line(self._piece[1] + 1)
        return self.passage.text[start:end].rstrip("\n") if self.passage else ""

    @property
    def place(self) -> int:
        """Where the text begins that is in view, in characters."""
        return self._offset_of_row(self.row)

    def come_back(self, place: int, match: int) -> None:
        """Show the document from a place on, at a match of it, as it was left."""
        self.set_reactive(Reader.match, min(match, len(self._matches) - 1))
        self._goal = (min(place, len(self._text)), False)
        self._fold()
        self._say()

    # -- moving --------------------------------------------------------------------------------------

    def next_match(self, step: int) -> bool:
        """To the match `step` further, round and round; False when there is none."""
        if not self._matches:
            return False
        self.match = (self.match + step) % len(self._matches)
        return True

    def watch_match(self, match: int) -> None:
        if 0 <= match < len(self._matches):
            row = self._row_of(self._matches[match][0])
            if not self.row <= row < self.row + self.page:
                self.move_to(row - self.page // 3)
        self._say()

    def on_resize(self) -> None:
        if self._goal is None and self._rows:
            self._goal = (self._offset_of_row(self.row), False)
        self._fold()

    def _row_of(self, offset: int) -> int:
        return bisect_right(self._rows.start, offset) - 1

    # -- layout --------------------------------------------------------------------------------------

    def _fold(self) -> None:
        """Fold the lines anew when the width has changed, and go to what ought to be in view."""
        region = self.scrollable_content_region
        if not self.is_attached or not region:
            return
        width = region.width - self._gutter() - 1
        if width != self._width:
            self._width = width
            self._rows = fold(self._text, width) if self.passage else Folded()
        self.hold(len(self._rows))
        if self._goal is not None:
            (offset, lower), self._goal = self._goal, None
            goal = self._row_of(offset) - (self.page // 3 if lower else 0)
            self.move_to(goal)
            if self.row != goal:  # its size is not laid out yet: the first text of all
                self.call_after_refresh(self.move_to, goal)

    def _gutter(self) -> int:
        return len(str(len(self._lines))) + 2

    def _offset_of_line(self, line: int) -> int:
        return self._lines[line][0] if 0 <= line < len(self._lines) else len(self._text)

    def _offset_of_row(self, row: int) -> int:
        return self._rows.start[row] if row < len(self._rows) else 0

    def _say(self) -> None:
        """Title, place and matches on the border."""
        if self.passage is None:
            return
        document = self.passage.document
        self.border_title = Content(visible_line(document.title))
        place = visible_line(f"{document.path}:{self._piece[0] + self.passage.start_line}")
        found = f"match {self.match + 1} of {len(self._matches)}" if self._matches else ""
        room = self.size.width - len(found) - 8
        self.border_subtitle = Content(
            " · ".join(filter(None, [ink.shorten_start(place, max(12, room)), found]))
        )

    # -- drawing -------------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        row, width, base = y + self.scroll_offset.y, self.scrollable_content_region.width, self.base
        if row >= len(self._rows):
            return Strip.blank(width, base)
        gutter = self._number(row)
        start, end = self._rows.start[row], self._rows.end[row]
        spans = [*self._styled(row), *self._marked(start, end), *self._selected(row)]
        text = Strip(_segments(self._text, start, end, spans, base)).apply_offsets(0, row)
        return Strip.join([gutter, text]).crop_extend(0, width, base)

    def _number(self, row: int) -> Strip:
        line = self._rows.line[row]
        matched = self._piece[0] <= line <= self._piece[1]
        first = self._rows.first_row[line] == row
        number = str(line + (self.passage.start_line if self.passage else 1)) if first else ""
        base = self.base
        return Strip([
            Segment(number.rjust(self._gutter() - 2), base + self.ink("gutter")),
            Segment("▎" if matched else " ", base + self.ink("accent")),
            Segment(" ", base),
        ])  # fmt: skip

    def _styled(self, row: int) -> Iterator[Span]:
        """Headings and code, lightly."""
        line = self._rows.line[row]
        start, kind = self._lines[line]
        row_start, row_end = self._rows.start[row], self._rows.end[row]
        if kind == PLAIN:
            return
        if kind in {HEAD, CODE}:
            yield row_start, row_end, self.ink("heading" if kind == HEAD else "code")
            return
        end = self._offset_of_line(line + 1)
        if end - start <= LONGEST_STYLED:
            for found in INLINE.finditer(self._text, start, end):
                yield max(found.start(), row_start), min(found.end(), row_end), self.ink("code")

    def _marked(self, start: int, end: int) -> Iterator[Span]:
        first = max(0, bisect_left(self._matches, (start, 0)) - 1)
        for i in range(first, len(self._matches)):
            a, b = self._matches[i]
            if a >= end:
                return
            here = i == self.match
            style = self.ground("match-here") if here else self.ink("match")
            yield max(a, start), min(b, end), style

    # -- selecting with the mouse --------------------------------------------------------------------

    def _selected(self, row: int) -> Iterator[Span]:
        selection = self.text_selection
        span = selection.get_span(row) if selection else None
        if span is not None:
            start, end = self._rows.start[row], self._rows.end[row]
            last = end if span[1] < 0 else min(end, start + span[1])
            yield start + span[0], last, self.screen.get_component_rich_style("screen--selection")

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """What is selected, as it is in the document: folded lines are whole again."""
        if not len(self._rows) or self.passage is None:
            return None
        return self.passage.text[
            self._at(selection.start, 0) : self._at(selection.end, len(self._text))
        ], "\n"

    def _at(self, offset: tuple[int, int] | None, otherwise: int) -> int:
        if offset is None:
            return otherwise
        column, row = offset
        return otherwise if row >= len(self._rows) else self._rows.start[row] + column

    def selection_updated(self, selection: Selection | None) -> None:
        del selection
        self.refresh()


TEXT, HEAD, CODE, PLAIN = range(4)


def _kinds(text: str, path: str) -> Iterator[tuple[int, int]]:
    """Where each line starts, and what kind it is."""
    lines = text.split("\n")
    starts = accumulate((len(line) + 1 for line in lines), initial=0)
    if not path.lower().endswith(MARKDOWN):
        yield from ((start, PLAIN) for start, _ in zip(starts, lines, strict=False))
        return
    fenced = False
    for start, line in zip(starts, lines, strict=False):
        if line.lstrip().startswith(FENCE):
            fenced = not fenced
            yield start, CODE
        elif fenced:
            yield start, CODE
        else:
            yield start, HEAD if HEADING.match(line) else TEXT


def _segments(text: str, start: int, end: int, spans: Sequence[Span], base: Style) -> list[Segment]:
    """A row cut where styles begin and end; later spans lie above earlier ones."""
    cuts = sorted({start, end, *(cut for a, b, _ in spans for cut in (a, b) if start < cut < end)})
    segments = []
    for a, b in pairwise(cuts):
        style = base
        for first, last, over in spans:
            if first <= a and b <= last:
                style += over
        segments.append(Segment(text[a:b].replace("\t", TAB), style))
    return segments
