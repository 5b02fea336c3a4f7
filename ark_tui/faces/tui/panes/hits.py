"""The hits: the list, and for the one under the cursor its text and why it is there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from textual import getters, on, work
from textual.containers import Container

from ark_tui.domain.display import visible, visible_line
from ark_tui.domain.errors import ArkError
from ark_tui.faces.tui import actions
from ark_tui.faces.tui.messages import EditAsked, HitUsed, PassageArrived
from ark_tui.faces.tui.panes.judging import Judging
from ark_tui.faces.tui.parts.breakdown import Breakdown
from ark_tui.faces.tui.parts.reader import Reader
from ark_tui.faces.tui.parts.results import Results
from ark_tui.faces.tui.parts.row_list import RowList

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.timer import Timer

    from ark_tui.domain.documents import Passage
    from ark_tui.domain.hits import Hit, SearchResult, SignalInfo
    from ark_tui.domain.memory import AccessKind
    from ark_tui.faces.tui.session import Session


PAUSE = 0.08
"""Seconds that the list has to stand still before text and reasons of a hit are shown."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A document to be read: which, for which query, and which of its lines are to be in view."""

    document: str
    query: str
    lines: tuple[int, int]
    refresh: int = 0  # counts refreshes, so that the same document is read anew


class Hits(Judging):
    """Results, reader and breakdown of one search."""

    SCOPES: ClassVar[actions.Scopes] = ("hits", "curation")
    BINDINGS: ClassVar[list[BindingType]] = [*actions.bindings("hits")]
    BORDER_TITLE = "Hits"
    HELP = "Go through the hits, read them where they match, and see what made each of them a hit."

    reader = getters.query_one(Reader)
    breakdown = getters.query_one(Breakdown)

    def __init__(self, *, why: bool) -> None:
        """`why`: in a narrow window the breakdown is in front, not the reader."""
        super().__init__(id="hits", classes="-why" if why else "")
        self._refreshes = 0
        self._pause: Timer | None = None
        self._read: Wanted | None = None  # what the reader shows
        self._reading: Wanted | None = None  # what is being read
        self._next: Wanted | None = None  # what comes after that
        self._left: Session | None = None  # how the document that comes was left in an earlier session

    def compose(self) -> ComposeResult:
        yield Results()
        with Container(id="side"):
            yield Reader()
            yield Breakdown()

    def on_mount(self) -> None:
        self.results.second_line = "text" if self.ark.remembered.second_line == "text" else "bars"

    def on_resize(self) -> None:
        self.results.named = self.screen.has_class("-narrow")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only a narrow window has a panel to turn."""
        del parameters
        return self.screen.has_class("-narrow") if action == "turn" else True

    # -- what is shown -------------------------------------------------------------------------------

    def know(self, signals: Mapping[str, SignalInfo]) -> None:
        """Learn what the signals are called and mean."""
        self.results.infos = self.breakdown.infos = signals

    def show(self, result: SearchResult, *, same: bool, again: bool) -> None:
        """Show a result, from its first hit.

        The cursor stays on its document where it was moved there in the `same` search, and where this is the
        same query `again` because the corpus has changed.
        """
        self.result = result
        self._refreshes += again
        self.results.show(result, keep=again or (same and self.results.moved))
        self._later()
        self.look_up_judgments()

    def clear(self) -> None:
        """Show nothing."""
        self.result = None
        self.results.clear()
        self._show_hit()

    @on(RowList.Moved, "#results")
    def _cursor_moved(self) -> None:
        self._show_hit()

    def _later(self) -> None:
        """Show the hit under the cursor once the list stands still: painting it for each key slows typing."""
        if self._pause is not None:
            self._pause.stop()
        self._pause = self.set_timer(PAUSE, self._show_hit)

    def _show_hit(self) -> None:
        if self._pause is not None:
            self._pause.stop()
            self._pause = None
        hit = self.results.hit
        self.breakdown.show(self.result, hit)
        if hit is None or self.result is None:
            self._read = self._next = None
            self.reader.clear()
        else:
            lines = (hit.chunk.start_line, hit.chunk.end_line)
            self._want(Wanted(hit.document.id, self.result.query.raw, lines, self._refreshes))

    # -- reading the document under the cursor -------------------------------------------------------

    def _want(self, wanted: Wanted) -> None:
        """Read a document; while one is being read, only the latest of those asked for comes next."""
        if self._reading is not None:
            self._next = wanted
        elif wanted != self._read:
            self._reading = wanted
            self._fetch(wanted)

    @work(thread=True, group="passage", exit_on_error=False)
    def _fetch(self, wanted: Wanted) -> None:
        try:
            passage = self.ark.opening.wait().show(wanted.document, wanted.query)
        except ArkError as error:
            self.post_message(PassageArrived(wanted, None, error))
        else:
            self.post_message(PassageArrived(wanted, passage))

    @on(PassageArrived)
    def _passage_arrived(self, event: PassageArrived) -> None:
        wanted = event.wanted
        assert isinstance(wanted, Wanted)
        following, self._reading, self._next = self._next, None, None
        if following is not None and following != wanted:
            self._want(following)
        elif self.result is not None and event.passage is not None:
            again = self._read is not None and replace(self._read, refresh=wanted.refresh) == wanted
            self._read = wanted
            self.reader.show(event.passage, wanted.lines, keep=again)
            self._come_back_to(wanted.document)
        elif event.error is not None:
            self._read = None
            self.reader.clear()
            self.ark.say_error(event.error)

    # -- the session ---------------------------------------------------------------------------------

    def come_back(self, left: Session) -> None:
        """Put cursor, marks and document where they were in an earlier session, as far as they are here."""
        rows = {hit.document.id: row for row, hit in enumerate(self.results.hits)}
        documents = {hit.document.id: hit.document for hit in self.results.hits}
        self.results.marks = {id_: documents[id_] for id_ in left.marked if id_ in documents}
        self.results.say_title()
        if left.document in rows:
            self._left = left
            self.results.cursor = rows[left.document]
            self._show_hit()

    def _come_back_to(self, document: str) -> None:
        left, self._left = self._left, None
        if left is not None and left.document == document:
            self.reader.come_back(left.offset, left.match)

    def _passage(self) -> Passage | None:
        """The document under the cursor, if the reader has it already."""
        hit, passage = self.results.hit, self.reader.passage
        return passage if hit and passage and passage.document.id == hit.document.id else None

    # -- going about ---------------------------------------------------------------------------------

    @on(RowList.Chosen, "#results")
    def _hit_chosen(self) -> None:
        if hit := self.results.hit:
            self._used(hit, "opened")
        self.go_to("reader")

    def go_to(self, part: str) -> None:
        """Focus a part by its id; in a narrow window it is turned to the front first."""
        if part in {"reader", "why"}:
            self._turn_to(part)
        self.call_after_refresh(self.query_one(f"#{part}").focus)

    def action_turn(self) -> None:
        self._turn_to("reader" if self.has_class("-why") else "why")

    def _turn_to(self, panel: str) -> None:
        self.set_class(panel == "why", "-why")
        self.ark.remember(panel=panel)

    def action_second_line(self) -> None:
        self.results.second_line = "bars" if self.results.second_line == "text" else "text"
        self.results.refresh()
        self.ark.remember(second_line=self.results.second_line)

    def action_next_match(self) -> None:
        self._to_match(+1)

    def action_previous_match(self) -> None:
        self._to_match(-1)

    def _to_match(self, step: int) -> None:
        if not self.reader.display:
            self._turn_to("reader")
        elif not self.reader.next_match(step):
            self.ark.say("No word of the query is in this document; it is here for what it means.")

    # -- copying and editing -------------------------------------------------------------------------

    def action_copy(self) -> None:
        if hit := self._hit_or_say():
            self._used(hit, "copied")
            self.ark.copy(self._text(hit), f"{_lines(hit)} of {hit.document.title}")

    def action_cite(self) -> None:
        if hit := self._hit_or_say():
            self._used(hit, "cited")
            quoted = f"{self._text(hit)}\n\n— {citation(hit)}\n"
            self.ark.copy(quoted, f"{hit.document.title} with its source")

    def action_copy_path(self) -> None:
        if hit := self._hit_or_say():
            passage = self._passage()
            self.ark.copy(passage.file if passage and passage.file else hit.document.path, "the path")

    def action_edit(self) -> None:
        hit = self._hit_or_say()
        if hit is None:
            return
        passage = self._passage()
        if passage is None:
            self.ark.say("The document is still being read.")
        elif not passage.file:
            self.ark.say("This document was given as text; there is no file to edit.")
        else:
            self._used(hit, "opened")
            self.post_message(EditAsked(passage.file, self.reader.line_number))

    def _used(self, hit: Hit, kind: AccessKind) -> None:
        self.post_message(HitUsed(hit.document.id, kind))

    def _hit_or_say(self) -> Hit | None:
        hit = self.results.hit
        if hit is None:
            self.ark.say("There is no hit under the cursor.")
        return hit

    def _text(self, hit: Hit) -> str:
        """The text of the piece that matched; the search brought a part of it, the reader has it whole."""
        return visible(self.reader.piece() if self._passage() else hit.snippet.text)


def _lines(hit: Hit) -> str:
    first, last = hit.chunk.start_line, hit.chunk.end_line
    return f"line {first}" if first == last else f"lines {first}–{last}"


def citation(hit: Hit) -> str:
    """Where a passage is from, on one line."""
    document = hit.document
    place = f"{document.collection}/{document.path}:{hit.chunk.start_line}–{hit.chunk.end_line}"
    known = f"{document.short_id}, {document.date}" if document.date else document.short_id
    return visible_line(f"{document.title}, {place} ({known})")
