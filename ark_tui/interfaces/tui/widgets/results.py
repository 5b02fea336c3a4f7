"""The hits, in three lines each: title and score; matching text; kind, location and a bar.

In less space, two lines or one; `v` changes the number. Weak hits, and those below the confidence floor, are
below a rule.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import ClassVar

from rich.style import Style
from textual.content import Content

from ark_tui.domain.display import visible_line
from ark_tui.domain.documents import Document
from ark_tui.domain.hits import RULES, Hit, SearchResult, SignalInfo
from ark_tui.domain.plain import beneath, plain
from ark_tui.domain.titles import set_apart
from ark_tui.domain.wording import counted
from ark_tui.interfaces.tui.state import actions, strings
from ark_tui.interfaces.tui.widgets import ink
from ark_tui.interfaces.tui.widgets.document_lists import DocumentRows
from ark_tui.interfaces.tui.widgets.row_list import RowList

LINES = 3
"""Lines per hit, if there is space."""

BAR = 12
"""Width of the bar of the best hit in cells."""

DATE_FROM = 40
"""Minimum width in cells at which hits show their date."""

GAP = 2
PATH = 12
"""Minimum width of a path beside a title in cells; narrower ones are omitted."""

TITLE = 18
"""Characters of a title that have priority over the details beside the score."""

LEAST_TAG = 5
"""Minimum width of shortened tags in cells."""

MOVES = "~"
"""Prefix of a score while the index is incomplete, so that the hit may move."""

GRADES = {2: "++", 1: "+", 0: "−"}
"""Marks of judgments."""

BANDS = {"weak": "weak", "below": "low confidence"}
"""Labels of hits that are not confident answers."""


class Results(DocumentRows):
    """The list of hits of one search."""

    SCOPES: ClassVar[actions.Scopes] = ("results", "move")
    BINDINGS: ClassVar[actions.Bindings] = actions.bindings("results")
    BORDER_TITLE = "Results"
    HELP = strings.HELP_RESULTS
    ROW_HEIGHT = LINES

    def __init__(self) -> None:
        super().__init__("results")
        self.hits: tuple[Hit, ...] = ()
        self.infos: Mapping[str, SignalInfo] = {}
        self.grades: Mapping[str, int] = {}  # by id: grades for the query
        self._half = ""  # progress of an incomplete index
        self._best = 0.0  # best score, for the scale of the bars
        self._several = False  # whether hits are from several collections
        self._bands: Mapping[str, str] = {}  # facts to show per hit
        self._moved = False
        self._titles: Mapping[str, str] = {}  # by id, with a suffix if titles repeat

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
        """The marked hits in order, else the one under the cursor."""
        marked = tuple(hit for hit in self.hits if hit.document.id in self.marks)
        return marked or ((self.hit,) if self.hit else ())

    @property
    def alike(self) -> tuple[Document, ...]:
        return self.hit.duplicates if self.hit else ()

    @property
    def moved(self) -> bool:
        """Whether the user has moved the cursor or judged a hit since these hits arrived."""
        return self._moved

    def show(self, result: SearchResult, *, keep: bool) -> None:
        """Show a result from its top, or `keep` the cursor on its document."""
        document, before = self.hit.document.id if self.hit and keep else None, self.cursor
        wanted, self._back_to = self._back_to, None
        if wanted is not None and any(hit.document.id == wanted[1] for hit in result.hits):
            document = wanted[1]
        above = self.top_of(self.cursor) - self.scroll_offset.y
        self.hits = result.hits
        self._titles = set_apart(hit.document for hit in result.hits)
        self._best = max((hit.score for hit in result.hits), default=0.0)
        self._bands = BANDS if result.below_floor or result.abstained else {"weak": BANDS["weak"]}
        self._several = len({hit.document.collection for hit in result.hits}) > 1
        self.dimmed = False
        known = self.marks if keep else {}
        self.marks = {hit.document.id: hit.document for hit in self.hits if hit.document.id in known}
        self.grades = self.grades if keep else {}
        self.rules = _rules(self.hits)
        self.rows_changed()
        self._back_to = wanted if result.partial else None
        gone = max(0, min(before, len(self.hits) - 1)) if keep else 0  # its previous row
        row = next((i for i, hit in enumerate(self.hits) if hit.document.id == document), gone)
        self._moved = keep and self._moved
        with self.prevent(RowList.Moved):
            self.set_reactive(RowList.cursor, row)
        top = self.top_of(row) - above if keep else 0
        self.scroll_to(y=max(0, top), animate=False, immediate=True)
        self.show_row(row)
        self.border_subtitle = Content(_below(result))
        self.say_title()

    def begin_anew(self) -> None:
        """Reset the record of the user's actions on these hits."""
        self.marks, self._moved = {}, False
        self.say_title()
        self.refresh()

    def set_lines(self, lines: int) -> None:
        """Set the lines per hit, 1 to 3."""
        if lines != self.ROW_HEIGHT:
            self.ROW_HEIGHT = lines
            self.rows_changed()
            self.refresh()
            self.call_after_refresh(lambda: self.show_row(self.cursor))

    def grade(self, document: str, grade: int) -> None:
        """Set the grade of a hit. The complete result of the same search keeps it."""
        self._moved = True
        self.show_grades({**self.grades, document: grade})

    def show_grades(self, grades: Mapping[str, int]) -> None:
        """Show the grades of the hits."""
        if grades != self.grades:
            self.grades = grades
            self.refresh()

    def say_half(self, half: str) -> None:
        """Show that the index is incomplete and that hits may move; empty if it is complete."""
        if half != self._half:
            self._half = half
            self.say_title()
            self.refresh()

    def title(self) -> str:
        return self._half or super().title()

    def clear(self) -> None:
        """Show nothing."""
        self.hits, self.marks, self.grades, self.rules = (), {}, {}, {}
        self.say_title()
        self._moved = False
        self.dimmed = False
        self.cursor = 0
        self.rows_changed()
        self.border_subtitle = None

    def watch_cursor(self, before: int, now: int) -> None:
        self._moved = True
        super().watch_cursor(before, now)

    def line(self, row: int, part: int, width: int) -> list[ink.Piece]:
        hit = self.hits[row]
        if part == 0:
            return self._title(hit, row, width)
        return self._text(hit, width) if part == 1 else self._facts(hit, width)

    def _title(self, hit: Hit, row: int, width: int) -> list[ink.Piece]:
        muted = self.ink("muted")
        document, strong = hit.document, self.ink("strong" if hit.band == "answer" else "muted")
        sign = MOVES if self._half else " "
        ranked = f" {sign}{hit.score:.3f}" if hit.parts else ""  # filters alone give no score
        said, score, left = self._said(hit, row), (ranked, strong), self.mark_of(document)
        title = visible_line(self._titles.get(document.id, document.called))
        wanted = ink.cells([*left, score, (title[:TITLE], strong)])
        while said and width - ink.cells(said) < wanted:
            said.pop()
        right = [*said, score]
        room = width - ink.cells(right) - ink.cells(left)
        left += ink.titled(title, document.successor, room, strong, muted)
        if self.ROW_HEIGHT == 1 and (room := width - ink.cells(left) - ink.cells(right) - GAP) >= PATH:
            left.append((" " * GAP + ink.shorten_start(self._path(hit), room), muted))
        return ink.justified(left, right, width)

    def _said(self, hit: Hit, row: int) -> list[ink.Piece]:
        """Details beside the score, one word each."""
        muted = self.ink("muted")
        told = hit.band in self._bands and row < min(self.rules, default=len(self.hits))
        said: list[ink.Piece] = [(f"  {self._bands[hit.band]}", muted)] if told else []
        if hit.chance is not None:
            said.append((f"  {hit.percent}", muted))
        if hit.document.pinned:
            said.append(("  pinned", self.ink("accent")))
        if hit.document.id in self.grades:
            said.append((f"  {GRADES[self.grades[hit.document.id]]}", self.ink("accent")))
        if hit.document.stale or hit.document.away:
            said.append(("  away" if hit.document.away else "  stale", self.ink("warning")))
        if count := len(hit.duplicates):
            said.append((f"  {counted(count, 'near-duplicate')}", muted))
        if hit.more:
            said.append((f"  {hit.more} more", muted))
        return said

    def _facts(self, hit: Hit, width: int) -> list[ink.Piece]:
        """Tier, tags, date and path as far as they fit, and the score as a bar."""
        bar = [(text, self.family(family)) for text, family in ink.bands(hit, self.infos, self._best, BAR)]
        muted, document = self.ink("muted"), hit.document
        left: list[ink.Piece] = []
        if document.tier != "doc":
            left.append((f"{document.tier} · ", muted))
        if document.date and width >= DATE_FROM:
            left.append((f"{document.date:%Y-%m} · ", muted))
        taken = BAR + 2 if hit.parts else 0
        room = width - taken - ink.cells(left)
        path = self._path(hit)
        tags = " · " + " ".join(f"#{visible_line(tag)}" for tag in document.tags) if document.tags else ""
        tags = ink.shorten(tags, max(0, room - ink.cells([(path, muted)])))
        left.append((ink.shorten_start(path, room), muted))
        if len(tags) > LEAST_TAG:
            left.append((tags, muted))
        return ink.justified(
            left, [*bar, (" " * (BAR - ink.cells(bar)), Style.null())] if taken else [], width
        )

    def _path(self, hit: Hit) -> str:
        """The path with the position in the file. The collection only if there are several."""
        document = hit.document
        path = f"{document.collection}/{document.path}" if self._several else document.path
        return visible_line(" · ".join(filter(None, (path, document.item, hit.chunk.place))))

    def _text(self, hit: Hit, width: int) -> list[ink.Piece]:
        """The snippet on one line, beginning shortly before its first match."""
        read = plain(hit.snippet.text, hit.snippet.highlights, hit.document.path)
        text, places = _folded(*beneath(hit.document.title, *read))
        usual = Style.null() if hit.band == "answer" else self.ink("muted")
        first = places[0][0] if places else 0
        start = max(0, min(first - width // 4, len(text) - width))
        start = text.find(" ", start - 1, first) + 1 or start if start else 0  # begin at a whole word
        text = (ink.ELLIPSIS if start else "") + visible_line(text[start:])
        line: list[ink.Piece] = []
        at = 0
        for begin, end in ((begin - start + (start > 0), end - start + (start > 0)) for begin, end in places):
            line += [(text[at:begin], usual), (text[begin:end], self.ink("match"))]
            at = end
        return ink.cut([*line, (text[at:], usual)], width)


def _rules(hits: Sequence[Hit]) -> dict[int, str]:
    """The rules: before the weak hits, and before those below the confidence floor."""
    rules, row = {}, len(hits)
    for band in ("below", "weak"):
        start = next((n for n in range(row, 0, -1) if hits[n - 1].band != band), 0)
        if start < row:
            rules[start], row = RULES[band], start
    return rules


def _folded(text: str, spans: Sequence[tuple[int, int]]) -> tuple[str, list[tuple[int, int]]]:
    """The text with collapsed and trimmed whitespace, and the adjusted spans."""
    blank = [sign.isspace() for sign in text]
    kept = [at for at, empty in enumerate(blank) if not empty or (at and not blank[at - 1])]
    places = [(bisect_left(kept, start), bisect_left(kept, end)) for start, end in spans]
    return "".join(" " if blank[at] else text[at] for at in kept).rstrip(), places


def _below(result: SearchResult) -> str:
    if not result.hits:
        return ""
    if result.abstained and result.lists_below:
        return counted(result.below_floor, "low-confidence result")
    if result.abstained:
        return strings.WEAK_ONLY
    more = result.found - len(result.hits) - result.below_floor
    return f"{more} more documents" if result.truncated and more > 0 else ""
