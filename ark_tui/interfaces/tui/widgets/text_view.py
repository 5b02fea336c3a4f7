"""A document on the screen, rendered or raw: highlighting, selection and copying."""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise
from typing import TYPE_CHECKING
from zlib import crc32

from rich.segment import Segment
from rich.style import Style
from textual import work
from textual.content import Content
from textual.geometry import Size
from textual.reactive import reactive
from textual.strip import Strip

from ark_tui.domain.display import address
from ark_tui.interfaces.tui.reading.page import Form, Page
from ark_tui.interfaces.tui.reading.text import TAB
from ark_tui.interfaces.tui.state.programs import can_be_opened
from ark_tui.interfaces.tui.widgets.scrolling import Scroller

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual.screen import Screen
    from textual.selection import Selection

    from ark_tui.domain.documents import Passage
    from ark_tui.interfaces.tui.reading.sheet import Sheet
    from ark_tui.interfaces.tui.reading.text import Piece
    from ark_tui.interfaces.tui.state.context import PaneContext

SMALL = 20_000
"""Maximum characters that are laid out on the UI thread; longer documents use a thread."""

Span = tuple[int, int, Style]

EARNED = Style(bold=True, underline=True)
"""Attributes that highlight contributing passages, in addition to color."""


class TextView(Scroller):
    """Shows a page. The reader chooses the page and follows its links."""

    match: reactive[int] = reactive(-1)

    def __init__(self, context: PaneContext, id: str) -> None:  # noqa: A002 - as Textual calls it
        super().__init__(id=id)
        self.context = context
        self.shown: Page | None = None
        self.sheet: Sheet | None = None
        self.form: Form = "rendered"
        self._laid: tuple[Form, int] = ("rendered", 0)  # form and width of the sheet
        self._sized = Size()  # size for which it was laid out
        self._piece = (0, 0)  # range of the matching chunk, in characters
        self._earned: tuple[str, list[tuple[int, int, str]]] = "", []  # see `mark`
        self._goal: tuple[int, int] | None = None  # offset to scroll to, and rows above it; −1: a third

    def on_mount(self) -> None:
        self.form = "raw" if self.context.remembered.form == "raw" else "rendered"
        self.screen.screen_layout_refresh_signal.subscribe(self, self._laid_out)

    def say_where(self) -> None:
        """Show the position on the border. Implemented by the reader."""

    @property
    def passage(self) -> Passage | None:
        """The document on the screen."""
        return self.shown.passage if self.shown else None

    @property
    def line_number(self) -> int:
        """The line for an editor: that of the current match if visible, else the first visible one."""
        if self.shown is None:
            return 1
        start = self._matches[self.match][0] if 0 <= self.match < len(self._matches) else -1
        place = start if start >= 0 and self._in_view(start) else self.place
        return self.shown.line_of(place)

    def take_away(self) -> None:
        """Show nothing."""
        self.shown, self.sheet, self._goal = None, None, None
        self._laid = (self.form, 0)
        self.set_reactive(TextView.match, -1)
        self.hold(0)
        self.border_title = Content(self.BORDER_TITLE or "")
        self.border_subtitle = None

    def mark(self, document: str, earned: Sequence[tuple[int, int, str]]) -> None:
        """Highlight the passages that contribute to the score, in the colors of their signal families.

        `earned`: ranges of characters with a family, largest part first.
        """
        known: dict[tuple[int, int], str] = {}
        for start, end, family in earned:
            known.setdefault((start, end), family)
        self._earned = document, sorted((start, end, family) for (start, end), family in known.items())
        self.refresh()

    @property
    def room(self) -> int:
        """The width of the text in cells, without the chunk mark and a space at the end."""
        return max(8, self.scrollable_content_region.width - 3)

    def _laid_out(self, _: Screen[object]) -> None:
        """Update the size: Textual sends no `Resize` if a region was queried before the layout."""
        if self.outer_size != self._sized:
            self.on_resize()

    def on_resize(self) -> None:
        self._sized = self.outer_size
        self._keep_place()
        self._settle()

    def _keep_place(self) -> None:
        if self._goal is None and self.sheet is not None:
            start = self._matches[self.match][0] if 0 <= self.match < len(self._matches) else -1
            if start >= 0 and self._in_view(start):
                self._goal = (start, self.sheet.row_of(start) - self.row)
            else:
                self._goal = (self.place, 0)

    def turn_form(self) -> None:
        """Toggle between rendered and raw; the visible text stays visible."""
        self.form = "raw" if self.form == "rendered" else "rendered"
        self.context.remember(form=self.form)
        self._keep_place()
        self._settle()
        self.say_where()

    def _settle(self) -> None:
        """Lay out again if the form or width has changed, and scroll to the requested position."""
        page = self.shown
        if not self.is_attached or not self.scrollable_content_region or page is None or self.sheet is None:
            return
        if self._laid != (self.form, self.room):
            self._laid = (self.form, self.room)
            if len(page.text) > SMALL:
                self._lay(page, *self._laid)
                return
            self.sheet = page.sheet(*self._laid)
        self.hold(len(self.sheet))
        if self._goal is not None:
            (place, above), self._goal = self._goal, None
            goal = self.sheet.row_of(place) - (self.page // 3 if above < 0 else above)
            self.move_to(goal)
            if self.row != goal:  # its size is not known yet: the first text
                self.call_after_refresh(self.move_to, goal)

    @work(thread=True, exclusive=True, group="layout", exit_on_error=False)
    def _lay(self, page: Page, form: Form, width: int) -> None:
        self.call_later(self._lay_down, page, page.sheet(form, width), (form, width))

    def _lay_down(self, page: Page, sheet: Sheet, laid: tuple[Form, int]) -> None:
        """A long document was laid out again."""
        if page is self.shown and laid == self._laid:
            self.sheet = sheet
            self._settle()

    def _place(self, row: int) -> int:
        return self.sheet.place(row) if self.sheet is not None and len(self.sheet) else 0

    @property
    def place(self) -> int:
        """The offset of the first visible text, in characters."""
        return self._place(self.row)

    def _in_view(self, place: int) -> bool:
        row = self.sheet.row_of(place) if self.sheet is not None else -1
        return self.row <= row < self.row + self.page

    @property
    def _matches(self) -> Sequence[tuple[int, int]]:
        return self.shown.passage.highlights if self.shown else ()

    def next_match(self, step: int) -> bool:
        """Go `step` matches forward, with wrap-around. Return False if there are no matches."""
        if not self._matches:
            return False
        self.match = (self.match + step) % len(self._matches)
        self.watch_match(self.match)  # also if it is the only one
        return True

    def watch_match(self, match: int) -> None:
        if 0 <= match < len(self._matches):
            self.bring_into_view(self._matches[match][0])
        self.say_where()
        self.refresh()

    def bring_into_view(self, place: int) -> None:
        """If an offset is not visible, scroll so that it is a third down."""
        if self.sheet is not None and not self._in_view(place):
            self.move_to(self.sheet.row_of(place) - self.page // 3)

    def go_to(self, place: int) -> None:
        """Scroll so that an offset is at the top."""
        if self.sheet is not None:
            self.move_to(self.sheet.row_of(place))

    def render_line(self, y: int) -> Strip:
        row, width, base = y + self.scroll_offset.y, self.scrollable_content_region.width, self.base
        if self.sheet is None or self.shown is None or row >= len(self.sheet):
            return Strip.blank(width, base)
        pieces = self.sheet.pieces(row)
        segments = [segment for piece in pieces for segment in self._drawn(piece)]
        text = Strip(self._selected(row, segments)).apply_offsets(0, row)
        for _, style, _ in text:
            if style is not None and style.link:  # Rich would recreate each row's part of it
                style._link_id = f"{crc32(style.link.encode()):x}"  # noqa: SLF001
        return Strip.join([self._edge(row), text]).crop_extend(0, width, base)

    def _edge(self, row: int) -> Strip:
        """The line number and the mark of the matching chunk."""
        assert self.sheet is not None
        assert self.shown is not None
        number = self.sheet.number(row)
        text = str(number + self.shown.passage.start_line) if number >= 0 else ""
        start, end = self._piece
        matched = start <= self.sheet.place(row) < end
        base = self.base
        return Strip([
            Segment(text.rjust(self.sheet.gutter), base + self.ink("gutter")),
            Segment("▎" if matched else " ", base + self.ink("accent")),
            Segment(" ", base),
        ])  # fmt: skip

    def _drawn(self, piece: Piece) -> Iterator[Segment]:
        """A piece, split at the boundaries of matches."""
        style = self._look(piece)
        if piece.source < 0:
            yield Segment(piece.text, style)
            return
        start, end = piece.source, piece.source + (len(piece.text) if piece.verbatim else 1)
        spans = [
            *self._marked(start, end),
            *self._earning(start, end),
            *self._behind(piece, start, end),
        ]
        if not piece.verbatim:
            for _, _, over in spans:
                style += over
            yield Segment(piece.text, style)
            return
        cuts = sorted({start, end, *(cut for a, b, _ in spans for cut in (a, b) if start < cut < end)})
        for a, b in pairwise(cuts):
            here = style
            for first, last, over in spans:
                if first <= a and b <= last:
                    here += over
            yield Segment(piece.text[a - start : b - start].replace("\t", TAB), here)

    def _look(self, piece: Piece) -> Style:
        style = self.base
        for name in piece.styles:
            style += self.ink(name)
        page = self.shown
        if page is None or "link" not in piece.styles:
            return style
        number = page.link_at(piece.source)
        linked = page.link(number)
        if page.leads_nowhere(number):
            style += self.ink("link-astray")
        elif linked is not None and can_be_opened(linked.target):
            style += Style(link=address(linked.target))  # the terminal's own hyperlinks, if it supports them
        return style

    def _marked(self, start: int, end: int) -> Iterator[Span]:
        first = max(0, bisect_left(self._matches, (start, 0)) - 1)
        for i in range(first, len(self._matches)):
            a, b = self._matches[i]
            if a >= end:
                return
            if b > start:
                yield a, b, self._match_style(i)

    def _earning(self, start: int, end: int) -> Iterator[Span]:
        """The contributing passages within a range; the current match keeps its style."""
        document, earned = self._earned
        if self.passage is None or self.passage.document.id != document:
            return
        here = self._matches[self.match] if 0 <= self.match < len(self._matches) else (-1, -1)
        for a, b, family in earned:
            if a < end and b > start and (b <= here[0] or a >= here[1]):
                yield a, b, self.family(family) + EARNED

    def _behind(self, piece: Piece, start: int, end: int) -> Iterator[Span]:
        """A match in the invisible address of a link highlights the text of the link."""
        if "link" not in piece.styles or self._laid[0] == "raw" or self.shown is None:
            return
        linked = self.shown.link(self.shown.link_at(start))
        if linked is None:
            return
        first = bisect_left(self._matches, (linked.start, 0))
        for i in range(first, bisect_left(self._matches, (linked.end, 0))):
            a, b = self._matches[i]
            if b <= linked.shown[0] or a >= linked.shown[1]:
                yield start, end, self._match_style(i)

    def _match_style(self, number: int) -> Style:
        return self.ground("match-here") if number == self.match else self.ink("match")

    def _selected(self, row: int, segments: list[Segment]) -> list[Segment]:
        selection = self.text_selection
        span = selection.get_span(row) if selection else None
        if span is None:
            return segments
        first, last = span
        try:
            over = self.screen.get_component_rich_style("screen--selection")
        except KeyError:  # the screen is being recreated and has no styles yet
            return segments
        found, at = [], 0
        for text, style, _ in segments:
            cuts = sorted({0, len(text), *(cut - at for cut in span if 0 < cut - at < len(text))})
            for a, b in pairwise(cuts):
                inside = first <= at + a and (last < 0 or at + b <= last)
                found.append(Segment(text[a:b], (style or self.base) + over if inside else style))
            at += len(text)
        return found

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected source text, with wrapped lines joined."""
        stretch = self._stretch(selection)
        return None if stretch is None or self.passage is None else (self.passage.text[slice(*stretch)], "\n")

    def _stretch(self, selection: Selection) -> tuple[int, int] | None:
        if self.shown is None or not self.sheet:
            return None
        start = 0 if selection.start is None else self._at(*selection.start)
        end = len(self.shown.text) if selection.end is None else self._at(*selection.end, behind=True)
        return min(start, end), end

    def _at(self, column: int, row: int, *, behind: bool = False) -> int:
        """The offset at a column of a row. `behind`: the end of the preceding character."""
        assert self.sheet is not None
        assert self.shown is not None
        if row >= len(self.sheet):
            return len(self.shown.text)
        place, at = self.sheet.place(row), 0
        for piece in self.sheet.pieces(row):
            length = len(piece.text) + piece.text.count("\t") * (len(TAB) - 1)
            if piece.source >= 0:
                if at + length > column or (behind and at + length == column):
                    return (
                        piece.source + _letters(piece.text, column - at) if piece.verbatim else piece.source
                    )
                place = piece.source + len(piece.text) if piece.verbatim else piece.source
            elif at + length > column:
                return place
            at += length
        return place

    def selection_updated(self, _selection: Selection | None) -> None:
        self.refresh()

    def piece(self) -> str:
        """The text of the matching lines."""
        start, end = self._piece
        return self.shown.passage.text[start:end].rstrip("\n") if self.shown else ""

    def copied(self) -> tuple[str, int, int]:
        """The text to copy, with its first and last line.

        The selection, else the matching chunk if visible, else the visible text.
        """
        assert self.shown is not None
        assert self.sheet is not None
        start, end = self._stretch(self.text_selection) or (0, 0) if self.text_selection else (0, 0)
        if end <= start:
            start, end = self._piece
            top, bottom = self.place, self._place_below()
            if end <= start or end <= top or start >= bottom:
                start, end = self.shown.whole_lines(top, bottom)
        text = self.shown.passage.text[start:end].rstrip("\r\n")
        return text, self.shown.line_of(start), self.shown.line_of(start + max(0, len(text) - 1))

    def _place_below(self) -> int:
        """The offset of the first row below the visible ones."""
        assert self.sheet is not None
        below = self.row + self.page
        return (
            self.sheet.place(below) if below < len(self.sheet) else len(self.shown.text if self.shown else "")
        )


def _letters(text: str, column: int) -> int:
    """The number of characters before a column; a tab takes several columns."""
    if "\t" not in text:
        return column
    at = 0
    for index, letter in enumerate(text):
        at += len(TAB) if letter == "\t" else 1
        if at > column:
            return index
    return len(text)
