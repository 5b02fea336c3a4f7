"""The hits, two lines each: title and score; then the bar of its signals (or the text), and the path."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from rich.style import Style
from textual.content import Content
from textual.message import Message

from ark_tui.domain.display import visible_line
from ark_tui.interfaces.tui.state import actions
from ark_tui.interfaces.tui.widgets import ink, signal_bar
from ark_tui.interfaces.tui.widgets.document_rows import DocumentRows
from ark_tui.interfaces.tui.widgets.row_list import RowList

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ark_tui.domain.documents import Document
    from ark_tui.domain.hits import Hit, SearchResult, SignalInfo

SecondLine = Literal["bars", "text"]

BAR_SHARE = 0.46
"""Of the width of the list, what the longest bar takes."""

PATH = 24
"""Cells that are left to the path beside the names of signals."""

DATE_FROM = 56
"""Cells of width from which a hit shows its date."""

NAMES_FROM = 60
"""Cells of width from which, in a narrow window, the bar under the cursor names its signals."""


GRADES = {2: "++", 1: "+", 0: "−"}
"""How a judgment shows."""

BANDS = {"weak": "weak", "below": "below the floor"}
"""How a hit that is no answer shows."""


class Results(DocumentRows):
    """The list of hits of one search."""

    SCOPES: ClassVar[actions.Scopes] = ("results", "move")
    BINDINGS: ClassVar[actions.Bindings] = actions.bindings("results")
    BORDER_TITLE = "Results"
    HELP = "Every hit, the best first: its title and score, and how much of the score each signal brought."
    ROW_HEIGHT = 2

    @dataclass
    class Duelled(Message):
        """Hits are to be seen side by side, by their documents."""

        documents: tuple[str, ...]

    def __init__(self) -> None:
        super().__init__("results")
        self.hits: tuple[Hit, ...] = ()
        self.infos: Mapping[str, SignalInfo] = {}
        self.second_line: SecondLine = "bars"
        self.named = False
        self.grades: Mapping[str, int] = {}  # by id, as they were judged for the query
        self._best = 0.0  # score, for the scale of the bars
        self._several = False  # collections among the hits
        self._bands: Mapping[str, str] = {}  # those that are told of a hit
        self._moved = False

    @property
    def count(self) -> int:
        return len(self.hits)

    @property
    def hit(self) -> Hit | None:
        """The hit under the cursor."""
        return self.hits[self.cursor] if self.cursor < len(self.hits) else None

    def document(self, row: int) -> Document:
        return self.hits[row].document

    @property
    def targets(self) -> tuple[Hit, ...]:
        """The marked hits in their order, else the one under the cursor."""
        marked = tuple(hit for hit in self.hits if hit.document.id in self.marks)
        return marked or ((self.hit,) if self.hit else ())

    @property
    def alike(self) -> tuple[Document, ...]:
        return self.hit.duplicates if self.hit else ()

    @property
    def moved(self) -> bool:
        """Whether a person has moved the cursor, or judged a hit, since these hits came."""
        return self._moved

    def show(self, result: SearchResult, *, keep: bool) -> None:
        """Show a result, from its top; or, to `keep` its place, with the cursor on the same document."""
        document, before = self.hit.document.id if self.hit and keep else None, self.cursor
        above = self.cursor * self.ROW_HEIGHT - self.scroll_offset.y
        self.hits = result.hits
        self._best = max((hit.score for hit in result.hits), default=0.0)
        self._bands = BANDS if result.below_floor or result.abstained else {"weak": BANDS["weak"]}
        self._several = len({hit.document.collection for hit in result.hits}) > 1
        self.dimmed = False
        known = self.marks if keep else {}
        self.marks = {hit.document.id: hit.document for hit in self.hits if hit.document.id in known}
        self.grades = self.grades if keep else {}
        self.rows_changed()
        gone = max(0, min(before, len(self.hits) - 1)) if keep else 0  # the row where it was
        row = next((i for i, hit in enumerate(self.hits) if hit.document.id == document), gone)
        self._moved = keep and self._moved
        with self.prevent(RowList.Moved):
            self.set_reactive(RowList.cursor, row)
        top = row * self.ROW_HEIGHT - above if keep else 0
        self.scroll_to(y=max(0, top), animate=False, immediate=True)
        self.show_row(row)
        self.border_subtitle = Content(_below(result))
        self.say_title()

    @property
    def pair(self) -> tuple[Hit, ...]:
        """The marked hits; of one alone it and the one under the cursor, of none that and the next one."""
        marked = tuple(hit for hit in self.hits if hit.document.id in self.marks)
        here = self.hits[self.cursor : self.cursor + 2]
        if len(marked) == 1 and here and here[0] is not marked[0]:
            return marked[0], here[0]
        return marked or here

    def action_duel(self) -> None:
        self.post_message(self.Duelled(tuple(hit.document.id for hit in self.pair)))

    def grade(self, document: str, grade: int) -> None:
        """Show what a hit is judged now; the rest of the same search does not take it away."""
        self._moved = True
        self.show_grades({**self.grades, document: grade})

    def show_grades(self, grades: Mapping[str, int]) -> None:
        """Show how hits were judged."""
        if grades != self.grades:
            self.grades = grades
            self.refresh()

    def clear(self) -> None:
        """Show nothing."""
        self.hits, self.marks, self.grades = (), {}, {}
        self.say_title()
        self._moved = False
        self.dimmed = False
        self.cursor = 0
        self.rows_changed()
        self.border_subtitle = None

    def watch_cursor(self, before: int, now: int) -> None:
        self._moved = True
        super().watch_cursor(before, now)

    # -- drawing -------------------------------------------------------------------------------------

    def line(self, row: int, part: int, width: int) -> list[ink.Piece]:
        hit = self.hits[row]
        if part == 0:
            return self._title(hit, width)
        return self._text(hit, width) if self.second_line == "text" else self._bar(hit, row, width)

    def _title(self, hit: Hit, width: int) -> list[ink.Piece]:
        muted = self.ink("muted")
        document, strong = hit.document, self.ink("strong" if hit.band == "answer" else "muted")
        right = [*self._said(hit), (f"  {hit.score:.3f}", strong)]
        left = self.mark_of(document)
        room = width - ink.cells(right) - ink.cells(left)
        title = ink.shorten(visible_line(document.title), room)
        left.append((title, strong + Style(strike=True) if document.superseded_by else strong))
        if document.superseded_by:
            successor = f" → {visible_line(document.superseded_by)}"
            left.append((ink.shorten(successor, width - ink.cells(right) - ink.cells(left)), muted))
        return ink.justified(left, right, width)

    def _said(self, hit: Hit) -> list[ink.Piece]:
        """What is known of a hit beside its score, in a word each."""
        muted = self.ink("muted")
        said: list[ink.Piece] = [(f"  {self._bands[hit.band]}", muted)] if hit.band in self._bands else []
        if hit.chance is not None:
            said.append((f"  {hit.percent}", muted))
        if hit.document.pinned:
            said.append(("  pinned", self.ink("accent")))
        if hit.document.id in self.grades:
            said.append((f"  {GRADES[self.grades[hit.document.id]]}", self.ink("accent")))
        if hit.document.stale:
            said.append(("  stale", self.ink("warning")))
        if count := len(hit.duplicates):
            said.append((f"  {count} more say{'s' if count == 1 else ''} the same", muted))
        if hit.more:
            said.append((f"  {hit.more} more", muted))
        return said

    def _bar(self, hit: Hit, row: int, width: int) -> list[ink.Piece]:
        if self.named and row == self.cursor and width >= NAMES_FROM:
            left = self._names(hit, width - PATH)
        else:
            bar = signal_bar.stretches(hit, self.infos, self._best, int(width * BAR_SHARE))
            left = signal_bar.pieces(bar, self.family)
        where = ink.shorten_start(self._where(hit, width), width - ink.cells(left) - 2)
        return ink.justified(left, [(where, self.ink("muted"))], width)

    def _where(self, hit: Hit, width: int) -> str:
        """The path, and the date if there is room; the collection only where there are several."""
        document = hit.document
        path = visible_line(f"{document.collection}/{document.path}" if self._several else document.path)
        if document.item:
            path += f" · {visible_line(document.item)}"
        return f"{path} · {document.date:%Y-%m}" if document.date and width >= DATE_FROM else path

    def _names(self, hit: Hit, width: int) -> list[ink.Piece]:
        """The signals by name with what they brought, as many as fit, those first that brought the most."""
        line: list[ink.Piece] = []
        for part in sorted(hit.parts, key=lambda part: -part.contribution):
            info = signal_bar.info_of(self.infos, part.name)
            share = f"{part.contribution:.2f}".lstrip("0") + "  "
            room = width - ink.cells(line)
            if part.contribution <= 0 or len(part.name) + 1 + len(share) > room:
                break
            line.append((f"{part.name} ", self.family(info.family) + Style(bold=True)))
            line.append((share, Style.null()))
        return line

    def _text(self, hit: Hit, width: int) -> list[ink.Piece]:
        """The snippet on one line, from shortly before its first match."""
        text = visible_line(hit.snippet.text)
        marked = self.ink("match")
        plain = self.ink("muted")
        first = hit.snippet.highlights[0][0] if hit.snippet.highlights else 0
        at = start = max(0, min(first - width // 4, len(text) - width)) if len(text) > width else 0
        line: list[ink.Piece] = [(ink.ELLIPSIS if start else "", plain)]
        for begin, end in hit.snippet.highlights:
            if begin >= at:
                line += [(text[at:begin], plain), (text[begin:end], marked)]
                at = end
        room = width - ink.cells(line)
        return [*line, (ink.shorten(text[at:], room), plain)] if room > 0 else line


def _below(result: SearchResult) -> str:
    if not result.hits:
        return ""
    if result.abstained and result.lists_below:
        return f"{result.below_floor} below the floor: nothing is about that"
    if result.abstained:
        return "weak hits: perhaps nothing is about that"
    more = result.found - len(result.hits) - result.below_floor
    return f"{more} more documents" if result.truncated and more > 0 else ""
