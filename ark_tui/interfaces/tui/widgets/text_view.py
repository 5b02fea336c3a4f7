"""One document on the screen: rendered or as it is written, its matches marked, selected and copied."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING
from zlib import crc32

from rich.segment import Segment
from rich.style import Style
from textual import on, work
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from ark_tui.domain.display import address
from ark_tui.interfaces.tui.reading.page import Form, Page
from ark_tui.interfaces.tui.reading.text import TAB
from ark_tui.interfaces.tui.state.addresses import can_be_opened
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
"""Characters up to which a document is laid out between two frames; a longer one in a thread."""

Span = tuple[int, int, Style]

EARNED = Style(bold=True, underline=True)
"""How what earned a part of the score stands out, besides its colour."""


class TextView(Scroller):
    """Shows a page. Who puts it there, and where it leads, is the reader's business."""

    match: reactive[int] = reactive(-1)

    @dataclass
    class SheetArrived(Message):
        """A long document has been laid out anew."""

        page: Page
        sheet: Sheet
        form: Form
        width: int

    def __init__(self, context: PaneContext, id: str) -> None:  # noqa: A002 - as Textual calls it
        super().__init__(id=id)
        self.context = context
        self.shown: Page | None = None
        self.sheet: Sheet | None = None
        self.form: Form = "rendered"
        self.link = -1  # the number of the chosen one
        self._laid: tuple[Form, int] = ("rendered", 0)  # how the sheet is laid out
        self._sized = Size()  # what it was laid out for
        self._piece = (0, 0)  # the piece that matched, in characters of the text
        self._earned: tuple[str, list[tuple[int, int, str]]] = "", []  # see `mark`
        self._goal: tuple[int, int] | None = None  # a place to be in view, and rows above it; −1: a third

    def on_mount(self) -> None:
        self.form = "raw" if self.context.remembered.form == "raw" else "rendered"
        self.screen.screen_layout_refresh_signal.subscribe(self, self._laid_out)

    def say_where(self) -> None:
        """Tell on the border what is in view; the reader knows."""

    # -- what is shown -------------------------------------------------------------------------------

    @property
    def passage(self) -> Passage | None:
        """The document that is shown."""
        return self.shown.passage if self.shown else None

    @property
    def line_number(self) -> int:
        """The line to open an editor at: that of the match in view, else the one at the top."""
        if self.shown is None:
            return 1
        start = self._matches[self.match][0] if 0 <= self.match < len(self._matches) else -1
        place = start if start >= 0 and self._in_view(start) else self.place
        return self.shown.line_of(place)

    def put(self, page: Page, sheet: Sheet, form: Form, width: int) -> None:
        """Show a document; `sheet` is it in that form, laid out at that width."""
        self.shown, self.sheet, self._laid = page, sheet, (form, width)

    def take_away(self) -> None:
        """Show nothing."""
        self.shown, self.sheet, self._goal, self.link = None, None, None, -1
        self._laid = (self.form, 0)
        self.set_reactive(TextView.match, -1)
        self.hold(0)
        self.border_title = Content(self.BORDER_TITLE or "")
        self.border_subtitle = None

    def mark(self, document: str, earned: Sequence[tuple[int, int, str]]) -> None:
        """Mark what in a document earned parts of its score, in the colours of the families of signals.

        `earned`: ranges of characters with a family, that of the largest part first.
        """
        known: dict[tuple[int, int], str] = {}
        for start, end, family in earned:
            known.setdefault((start, end), family)
        self._earned = document, sorted((start, end, family) for (start, end), family in known.items())
        self.refresh()

    # -- layout --------------------------------------------------------------------------------------

    @property
    def room(self) -> int:
        """The cells that text has: without the mark of the piece, and with a blank at its end."""
        return max(8, self.scrollable_content_region.width - 3)

    def _laid_out(self, _: Screen[object]) -> None:
        """Textual sends no `Resize` where somebody has asked for a region between a change and its layout."""
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
        """From rendered to raw and back; what is in view stays in view."""
        self.form = "raw" if self.form == "rendered" else "rendered"
        self.context.remember(form=self.form)
        self._keep_place()
        self._settle()
        self.say_where()

    def _settle(self) -> None:
        """Lay out anew if the form or the width has changed, and go to what ought to be in view."""
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
            if self.row != goal:  # its size is not laid out yet: the first text of all
                self.call_after_refresh(self.move_to, goal)

    @work(thread=True, exclusive=True, group="layout", exit_on_error=False)
    def _lay(self, page: Page, form: Form, width: int) -> None:
        self.post_message(self.SheetArrived(page, page.sheet(form, width), form, width))

    @on(SheetArrived)
    def _sheet_arrived(self, event: SheetArrived) -> None:
        event.stop()
        if event.page is self.shown and (event.form, event.width) == self._laid:
            self.sheet = event.sheet
            self._settle()

    def _place(self, row: int) -> int:
        return self.sheet.place(row) if self.sheet is not None and len(self.sheet) else 0

    @property
    def place(self) -> int:
        """Where the text begins that is in view, in characters."""
        return self._place(self.row)

    def _in_view(self, place: int) -> bool:
        row = self.sheet.row_of(place) if self.sheet is not None else -1
        return self.row <= row < self.row + self.page

    # -- moving --------------------------------------------------------------------------------------

    @property
    def _matches(self) -> Sequence[tuple[int, int]]:
        return self.shown.passage.highlights if self.shown else ()

    def next_match(self, step: int) -> bool:
        """To the match `step` further, round and round; False when there is none."""
        if not self._matches:
            return False
        self.link = -1
        self.match = (self.match + step) % len(self._matches)
        self.watch_match(self.match)  # also where it is the only one
        return True

    def watch_match(self, match: int) -> None:
        if 0 <= match < len(self._matches):
            self.bring_into_view(self._matches[match][0])
        self.say_where()
        self.refresh()

    def bring_into_view(self, place: int) -> None:
        """Scroll, where it is out of view, so that a place is a third down."""
        if self.sheet is not None and not self._in_view(place):
            self.move_to(self.sheet.row_of(place) - self.page // 3)

    def go_to(self, place: int) -> None:
        """Put a place at the top."""
        if self.sheet is not None:
            self.move_to(self.sheet.row_of(place))

    # -- drawing -------------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        row, width, base = y + self.scroll_offset.y, self.scrollable_content_region.width, self.base
        if self.sheet is None or self.shown is None or row >= len(self.sheet):
            return Strip.blank(width, base)
        pieces = self.sheet.pieces(row)
        segments = [segment for piece in pieces for segment in self._drawn(piece)]
        text = Strip(self._selected(row, segments)).apply_offsets(0, row)
        for _, style, _ in text:
            if style is not None and style.link:  # Rich would name each row's part of it anew
                style._link_id = f"{crc32(style.link.encode()):x}"  # noqa: SLF001
        return Strip.join([self._edge(row), text]).crop_extend(0, width, base)

    def _edge(self, row: int) -> Strip:
        """The number of the line, and the mark of the piece that matched."""
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
        """A piece cut where matches and the chosen link begin and end."""
        style = self._look(piece)
        if piece.source < 0:
            yield Segment(piece.text, style)
            return
        start, end = piece.source, piece.source + (len(piece.text) if piece.verbatim else 1)
        spans = [
            *self._marked(start, end),
            *self._earning(start, end),
            *self._behind(piece, start, end),
            *self._chosen(start, end),
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
            style += Style(link=address(linked.target))  # the terminal's own way to it, where it has one
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
        """What earned parts of the score, within a stretch of the document; the match one is at stays."""
        document, earned = self._earned
        if self.passage is None or self.passage.document.id != document:
            return
        here = self._matches[self.match] if 0 <= self.match < len(self._matches) else (-1, -1)
        for a, b, family in earned:
            if a < end and b > start and (b <= here[0] or a >= here[1]):
                yield a, b, self.family(family) + EARNED

    def _behind(self, piece: Piece, start: int, end: int) -> Iterator[Span]:
        """A match in the address of a link, which is not shown, marks the words of the link."""
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
        return self.ground("match-here") if number == self.match and self.link < 0 else self.ink("match")

    def _chosen(self, start: int, end: int) -> Iterator[Span]:
        linked = self.shown.link(self.link) if self.shown else None
        if linked is not None and linked.start < end and start < linked.end:
            yield linked.start, linked.end, self.ground("match-here")

    # -- selecting with the mouse --------------------------------------------------------------------

    def _selected(self, row: int, segments: list[Segment]) -> list[Segment]:
        selection = self.text_selection
        span = selection.get_span(row) if selection else None
        if span is None:
            return segments
        first, last = span
        try:
            over = self.screen.get_component_rich_style("screen--selection")
        except KeyError:  # the screen is being made anew and has no styles yet
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
        """What is selected, as it is written in the document: folded lines are whole again."""
        stretch = self._stretch(selection)
        return None if stretch is None or self.passage is None else (self.passage.text[slice(*stretch)], "\n")

    def _stretch(self, selection: Selection) -> tuple[int, int] | None:
        if self.shown is None or not self.sheet:
            return None
        start = 0 if selection.start is None else self._at(*selection.start)
        end = len(self.shown.text) if selection.end is None else self._at(*selection.end, behind=True)
        return min(start, end), end

    def _at(self, column: int, row: int, *, behind: bool = False) -> int:
        """The place of a column of a row; `behind`: the end of the letter before it."""
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

    def selection_updated(self, selection: Selection | None) -> None:
        del selection
        self.refresh()

    # -- copying -------------------------------------------------------------------------------------

    def piece(self) -> str:
        """The text of the lines that matched."""
        start, end = self._piece
        return self.shown.passage.text[start:end].rstrip("\n") if self.shown else ""

    def copied(self) -> tuple[str, int, int]:
        """What a copy takes, and its first and last line.

        It is what is selected, else the marked piece if that is in view, else what is in view.
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
        """The place of the first row that is out of view."""
        assert self.sheet is not None
        below = self.row + self.page
        return (
            self.sheet.place(below) if below < len(self.sheet) else len(self.shown.text if self.shown else "")
        )


def _letters(text: str, column: int) -> int:
    """The letters of a text before a column, where a tab takes several."""
    if "\t" not in text:
        return column
    at = 0
    for index, letter in enumerate(text):
        at += len(TAB) if letter == "\t" else 1
        if at > column:
            return index
    return len(text)
