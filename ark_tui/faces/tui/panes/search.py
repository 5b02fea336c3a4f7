"""The search pane: a query, its hits, and for the hit under the cursor its text and why it is there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, cast

from textual import getters, on, work
from textual.containers import Container
from textual.worker import get_current_worker

from ark_tui.domain.display import visible, visible_line
from ark_tui.domain.errors import ArkError, Cancelled, QuerySyntaxError
from ark_tui.faces.tui import actions, sample
from ark_tui.faces.tui.messages import (
    CorpusChanged,
    EditAsked,
    HitsArrived,
    LampsChanged,
    PassageArrived,
    SearchFailed,
)
from ark_tui.faces.tui.parts import empty
from ark_tui.faces.tui.parts.breakdown import Breakdown
from ark_tui.faces.tui.parts.empty import Empty
from ark_tui.faces.tui.parts.notice_line import NoticeLine, corrected
from ark_tui.faces.tui.parts.query_line import QueryLine
from ark_tui.faces.tui.parts.reader import Reader
from ark_tui.faces.tui.parts.results import Results
from ark_tui.faces.tui.parts.row_list import RowList

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.timer import Timer
    from textual.widget import Widget

    from ark_tui.domain.hits import Hit, SearchResult, SignalInfo
    from ark_tui.domain.work import Status
    from ark_tui.faces.tui.app import ArkApp

LIMIT = 50
"""Hits of a search."""

PATIENCE = 0.15
"""Seconds that a search may take before the old hits are dimmed."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A document to be read: which, for which query, and which of its lines are to be in view."""

    document: str
    query: str
    lines: tuple[int, int]
    refresh: int = 0  # counts refreshes, so that the same document is read anew


class SearchPane(Container):
    """Search, and see why."""

    BINDINGS: ClassVar[list[BindingType]] = [*actions.bindings("search")]
    HELP = (
        "Type a query, go through its hits, read them where they match, and see what made each of them a hit."
    )

    query_line = getters.query_one(QueryLine)
    notice_line = getters.query_one(NoticeLine)
    results = getters.query_one(Results)
    reader = getters.query_one(Reader)
    breakdown = getters.query_one(Breakdown)
    empty = getters.query_one(Empty)

    def __init__(self, *, why: bool) -> None:
        """`why`: in a narrow window the breakdown is in front, not the reader."""
        super().__init__(id="search", classes="-empty -why" if why else "-empty")
        self.last_focused: Widget = self
        self._number = 0  # of the latest search asked for
        self.shown = 0  # of the search that is on the screen
        self.result: SearchResult | None = None
        self._status: Status | None = None
        self._failure: ArkError | None = None
        self._indexing = ""
        self._go_down = False  # to the results as soon as there are any: enter was pressed
        self._timer: Timer | None = None
        self._read: Wanted | None = None  # what the reader shows
        self._reading: Wanted | None = None  # what is being read
        self._next: Wanted | None = None  # what comes after that
        self._refreshes = 0

    @property
    def ark(self) -> ArkApp:
        return cast("ArkApp", self.app)

    def compose(self) -> ComposeResult:
        yield QueryLine(blink=self.ark.settings.blink)
        yield NoticeLine()
        with Container(id="body"):
            yield Results()
            with Container(id="side"):
                yield Reader()
                yield Breakdown()
        yield Empty()

    def on_mount(self) -> None:
        self.last_focused = self.query_line
        self.results.second_line = "text" if self.ark.remembered.second_line == "text" else "bars"
        self._show_or_explain()

    def on_resize(self) -> None:
        narrow = self.screen.has_class("-narrow")
        self.results.named = narrow

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only a narrow window has a panel to turn."""
        del parameters
        return self.screen.has_class("-narrow") if action == "turn" else True

    def on_descendant_focus(self) -> None:
        if self.screen.focused is not None:
            self.last_focused = self.screen.focused

    # -- what the workbench tells --------------------------------------------------------------------

    def engine_opened(self, signals: Mapping[str, SignalInfo]) -> None:
        """Searches work from now on; those typed before are waiting for it themselves."""
        self._failure = None
        self.results.infos = self.breakdown.infos = signals

    def engine_failed(self, error: ArkError) -> None:
        """The home cannot be opened."""
        self._failure = error
        self._show_or_explain()

    def reopening(self) -> None:
        """The home is being opened again."""
        self._failure = None
        self._show_or_explain()

    def show_status(self, status: Status) -> None:
        """There are this many documents."""
        self._status, self._failure = status, None
        self._show_or_explain()

    def show_indexing(self, done: str) -> None:
        """Documents are on their way; an empty text says that none are."""
        self._indexing = done
        self._show_or_explain()

    # -- searching -----------------------------------------------------------------------------------

    @on(QueryLine.QueryEdited)
    def _query_edited(self, event: QueryLine.QueryEdited) -> None:
        self._go_down = False
        self.search(event.text, typing=True)

    @on(QueryLine.QueryRun)
    def _query_run(self, event: QueryLine.QueryRun) -> None:
        self.search(event.text, typing=False)
        self._go_down = True
        if self.results.hits:
            self.results.focus()

    def search(self, text: str, *, typing: bool, again: bool = False) -> None:
        """Search, and give up whatever search is under way."""
        self._number += 1
        if not text.strip():
            self.workers.cancel_group(self, "search")
            self._forget()
            return
        self._wait_patiently()
        self._search(self._number, text, typing=typing, again=again)

    @work(thread=True, exclusive=True, group="search", exit_on_error=False)
    def _search(self, number: int, text: str, *, typing: bool, again: bool) -> None:
        from ark_tui.domain.query import Request

        stop = get_current_worker().cancelled_event
        try:
            engine = self.ark.opening.wait(stop)
            for result in engine.search_stages(Request(text, limit=LIMIT, typing=typing), stop):
                self.post_message(HitsArrived(number, result, again=again))
        except Cancelled:
            return
        except ArkError as error:
            self.post_message(SearchFailed(number, error))

    @on(HitsArrived)
    def _hits_arrived(self, event: HitsArrived) -> None:
        if event.number < self.shown:
            return
        same = event.number == self.shown or event.again
        self.shown = event.number
        self.result = event.result
        self._failure = None
        if not event.result.partial:
            self._stop_waiting()
        self.results.show(event.result, keep=same and (event.again or self.results.moved))
        self.query_line.say_counts(event.result)
        self.notice_line.show(event.result, self.ark.keys["search.suggestion"])
        self.post_message(LampsChanged(event.result.lamps))
        self._show_or_explain()
        self._show_hit()
        if self._go_down and self.results.hits and self.query_line.has_focus:
            self._go_down = False
            self.call_after_refresh(self.results.focus)

    @on(SearchFailed)
    def _search_failed(self, event: SearchFailed) -> None:
        if event.number < self.shown:
            return
        self._stop_waiting()
        if isinstance(event.error, QuerySyntaxError):
            self.notice_line.point(event.error)
            return
        self.shown, self._failure = event.number, event.error
        self._show_or_explain()

    @on(CorpusChanged)
    def _corpus_changed(self) -> None:
        """The same search once more, everything at its place."""
        self._refreshes += 1
        if self.result is not None:
            self.search(self.query_line.value, typing=True, again=True)

    def _forget(self) -> None:
        """There is no query any more."""
        self._stop_waiting()
        self.shown = self._number
        self.result = None
        self._read = self._next = None
        self.results.clear()
        self.reader.clear()
        self.breakdown.show(None, None)
        self.notice_line.clear()
        self.query_line.say("")
        self._show_or_explain()

    def _wait_patiently(self) -> None:
        """Nothing for a moment; then the old hits stay, dimmed."""
        if self._timer is None:
            self._timer = self.set_timer(PATIENCE, self._dim)

    def _dim(self) -> None:
        self.results.dimmed = True
        self.query_line.say("searching…")

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        self.results.dimmed = False

    # -- hits, or why there are none -----------------------------------------------------------------

    def _show_or_explain(self) -> None:
        """Show the hits, or one of the four sentences."""
        hits = bool(self.results.hits) and self._failure is None
        self.set_class(not hits, "-empty")
        if not hits:
            self._explain()

    def _explain(self) -> None:
        key = self.ark.keys.__getitem__
        documents = self._status.documents if self._status else None
        new = documents == 0 or not self.ark.settings.home.store.exists()
        if self._failure is not None:
            empty.failed(self.empty, key, self._failure)
        elif self._indexing and (new or self.result is not None):
            empty.still_indexing(self.empty, key, self._indexing)
        elif new:
            empty.nothing_yet(self.empty, key, sample=sample.folder() is not None)
        elif self.result is not None:
            empty.no_match(self.empty, key, visible_line(self.result.query.raw))
        elif self.query_line.value.strip():
            empty.on_its_way(self.empty)
        else:
            empty.no_query(self.empty, key, documents)

    # -- the hit under the cursor --------------------------------------------------------------------

    @on(RowList.Moved, "#results")
    def _cursor_moved(self) -> None:
        self._show_hit()

    @on(RowList.Chosen, "#results")
    def _hit_chosen(self) -> None:
        self.go_to("reader")

    def _show_hit(self) -> None:
        hit = self.results.hit
        self.breakdown.show(self.result, hit)
        if hit is None or self.result is None:
            self._read = None
            self.reader.clear()
        elif self.reader.display:
            lines = (hit.chunk.start_line, hit.chunk.end_line)
            self._want(Wanted(hit.document.id, self.result.query.raw, lines, self._refreshes))

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
        elif self.result is None:
            return
        elif event.passage is not None:
            again = self._read is not None and replace(self._read, refresh=wanted.refresh) == wanted
            self._read = wanted
            self.reader.show(event.passage, wanted.lines, keep=again)
        elif event.error is not None:
            self._read = None
            self.reader.clear()
            self.notice_line.say(event.error.what)

    # -- going about ---------------------------------------------------------------------------------

    def go_to(self, part: str) -> None:
        """Focus a part by its id; in a narrow window it is turned to the front first."""
        if part in {"reader", "why"}:
            self._turn_to(part)
        self.call_after_refresh(self.query_one(f"#{part}").focus)

    def step_back(self) -> None:
        """From the document to the results, from there to the query line, and from there to the results."""
        if self.results.has_focus or not self.results.hits:
            self.query_line.focus()
        else:
            self.results.focus()

    def narrow_to(self, collection: str) -> None:
        """Search in one collection."""
        words = [word for word in self.query_line.value.split(" ") if word and not word.startswith("in:")]
        name = f'"{collection}"' if " " in collection else collection
        self.query_line.value = " ".join([f"in:{name}", *words, ""])
        self.query_line.focus()

    @on(NoticeLine.Clicked)
    def _notice_clicked(self) -> None:
        if self.result is not None and self.result.suggestions:
            self.action_suggestion()

    @on(QueryLine.Left)
    def _query_left(self) -> None:
        if self.results.hits:
            self.results.focus()

    def action_turn(self) -> None:
        self._turn_to("reader" if self.has_class("-why") else "why")

    def _turn_to(self, panel: str) -> None:
        self.set_class(panel == "why", "-why")
        self.ark.remember(panel=panel)
        self.call_after_refresh(self._show_hit)

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
        elif self.reader.passage is None or not self.reader.next_match(step):
            self.ark.say("No word of the query is in this document; it is here for what it means.")

    def action_suggestion(self) -> None:
        """Put what may have been meant in the place of words that are in no document."""
        suggestions = self.result.suggestions if self.result else ()
        if suggestions:
            self.query_line.value = corrected(self.query_line.value, suggestions)
            self.query_line.cursor_position = len(self.query_line.value)
        else:
            self.ark.say("Every word of the query is known.")

    # -- copying and editing -------------------------------------------------------------------------

    def action_copy(self) -> None:
        if hit := self._hit_or_say():
            self.ark.copy(self._passage(hit), f"{_lines(hit)} of {hit.document.title}")

    def action_cite(self) -> None:
        if hit := self._hit_or_say():
            self.ark.copy(
                f"{self._passage(hit)}\n\n— {citation(hit)}\n", f"{hit.document.title} with its source"
            )

    def action_copy_path(self) -> None:
        if hit := self._hit_or_say():
            self.ark.copy(self._file(hit) or hit.document.path, "the path")

    def action_edit(self) -> None:
        if hit := self._hit_or_say():
            file = self._file(hit)
            if file:
                self.post_message(EditAsked(file, self.reader.line_number))
            else:
                self.ark.say("This document was given as text; there is no file to edit.")

    def _hit_or_say(self) -> Hit | None:
        hit = self.results.hit
        if hit is None:
            self.ark.say("There is no hit under the cursor.")
        return hit

    def _passage(self, hit: Hit) -> str:
        """The text of the piece that matched; the search brought a part of it, the reader has it whole."""
        passage = self.reader.passage
        read = passage is not None and passage.document.id == hit.document.id
        return visible(self.reader.piece() if read else hit.snippet.text)

    def _file(self, hit: Hit) -> str:
        passage = self.reader.passage
        return passage.file if passage is not None and passage.document.id == hit.document.id else ""


def _lines(hit: Hit) -> str:
    first, last = hit.chunk.start_line, hit.chunk.end_line
    return f"line {first}" if first == last else f"lines {first}–{last}"


def citation(hit: Hit) -> str:
    """Where a passage is from, on one line."""
    document = hit.document
    place = f"{document.collection}/{document.path}:{hit.chunk.start_line}–{hit.chunk.end_line}"
    known = f"{document.short_id}, {document.date}" if document.date else document.short_id
    return visible_line(f"{document.title}, {place} ({known})")
