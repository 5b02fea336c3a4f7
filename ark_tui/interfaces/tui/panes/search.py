"""The search pane: a query with its hits, or the reason why there are none."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import getters, on
from textual.containers import Container

from ark_tui import operations
from ark_tui.domain.display import visible_line
from ark_tui.domain.errors import ArkError, QuerySyntaxError
from ark_tui.interfaces.tui.panes import asking
from ark_tui.interfaces.tui.state import actions, configured, strings
from ark_tui.interfaces.tui.state.client import act
from ark_tui.interfaces.tui.state.messages import (
    CorpusChanged,
    HitsArrived,
    HitUsed,
)
from ark_tui.interfaces.tui.state.session import Session
from ark_tui.interfaces.tui.widgets import empty
from ark_tui.interfaces.tui.widgets.empty import Empty
from ark_tui.interfaces.tui.widgets.query_line import QueryLine
from ark_tui.interfaces.tui.widgets.requesting import Requesting

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from textual.app import ComposeResult
    from textual.timer import Timer
    from textual.widget import Widget

    from ark_tui.domain.hits import SearchResult, SignalInfo
    from ark_tui.domain.query import Request
    from ark_tui.domain.work import Status
    from ark_tui.interfaces.tui.panes.hits import Hits
    from ark_tui.interfaces.tui.state.client import Client
    from ark_tui.interfaces.tui.state.context import PaneContext
    from ark_tui.interfaces.tui.widgets.empty import Reason
    from ark_tui.interfaces.tui.widgets.notice_line import NoticeLine

PAUSE = 0.3
"""Seconds without a key press after which a typed search may report that nothing is relevant."""


class SearchPane(Requesting, Container):
    """The search pane. The widgets that show hits are mounted after the first frame."""

    SCOPES: ClassVar[actions.Scopes] = ("search",)
    BINDINGS: ClassVar[actions.Bindings] = actions.bindings(*SCOPES)
    BORDER_TITLE = "Search"
    HELP = strings.HELP_SEARCH

    query_line = getters.query_one(QueryLine)
    empty = getters.query_one(Empty)

    hits: Hits  # these are available after `mount_rest`
    notice_line: NoticeLine

    def __init__(self, context: PaneContext) -> None:
        super().__init__(id="search", classes="-empty")
        self.context = context
        self.last_focused: Widget = self
        self.result: SearchResult | None = None
        self._request: Request | None = None  # of the result
        self.asking = asking.Asking()
        self.stages = asking.Stages()
        self._patience: Timer | None = None  # until the old hits are dimmed
        self._uses = asking.Uses()
        self._furnished = False
        self._status: Status | None = None
        self._failure: ArkError | None = None
        self._unread: QuerySyntaxError | None = None  # syntax error of the latest query
        self._indexing = ""
        self._go_down = False  # enter was pressed: focus the results when they arrive
        self._left: Session | None = None  # state of an earlier session, until its hits are there

    @property
    def has_hits(self) -> bool:
        """Whether there is a list of hits to focus."""
        return self._furnished and bool(self.hits.results.hits) and self._failure is None

    def compose(self) -> ComposeResult:
        yield QueryLine(self.context.session.query, blink=self.context.settings.blink)
        yield Empty()

    def on_mount(self) -> None:
        self.last_focused = self.query_line
        left = self.context.session
        self.asking = asking.Asking(superseded=left.superseded)
        if left.query.strip():
            self._left = left
            self.query_line.select_all()
        self._show_or_explain()

    async def mount_rest(self) -> None:
        """Mount the widgets that show hits."""
        from ark_tui.interfaces.tui.panes.hits import Hits
        from ark_tui.interfaces.tui.widgets.choices import Completions
        from ark_tui.interfaces.tui.widgets.notice_line import NoticeLine

        self.notice_line, self.hits = NoticeLine(), Hits(self.context)
        await self.mount(self.notice_line, self.hits, before=self.empty)
        self._furnished = True
        completions = Completions(self.context, self.query_line)
        await self.mount(completions, after=self.notice_line)  # which stay visible
        self.query_line.completions = completions

    def on_descendant_focus(self) -> None:
        if self.screen.focused is not None:
            self.last_focused = self.screen.focused

    def engine_opened(self, signals: Mapping[str, SignalInfo]) -> None:
        """Searches work from now on. Searches typed before wait for the engine themselves."""
        self._failure = None
        self.hits.know(signals)
        if self._left is not None:
            self.search(self.query_line.value, typing=self._left.typing, again=True)

    def engine_failed(self, error: ArkError) -> None:
        """The home cannot be opened or searched."""
        self._failure = error
        self._stop_waiting()
        self.query_line.say("")
        self._show_or_explain()

    def reconnected(self) -> None:
        """The home can be reached again: run the query that was typed in the meantime."""
        self._failure = None
        self.search(self.query_line.value, typing=self.asking.typing, again=True)

    def reopening(self) -> None:
        """The home is being opened again."""
        self._failure = None
        self._show_or_explain()

    def show_status(self, status: Status) -> None:
        """Show the number of documents."""
        self._status, self._failure = status, None
        self._show_or_explain()

    def home_changed(self) -> None:
        """Reload the hits: judgments or pins may have changed."""
        if self.has_hits:
            self.hits.look_up_judgments()
            self.request(act(operations.workbench.pins), self._pins_read, group="pins")

    def _pins_read(self, pins: frozenset[str]) -> None:
        if any(hit.document.pinned != (hit.document.id in pins) for hit in self.hits.results.hits):
            self.post_message(CorpusChanged())

    def show_indexing(self, done: str, half: str = "") -> None:
        """Show the progress of indexing; an empty text means none. `half`: the share that is indexed."""
        self._indexing = done
        if self._furnished:
            self.hits.results.say_half(half)
        self._show_or_explain()

    @on(QueryLine.QueryEdited)
    def _query_edited(self, event: QueryLine.QueryEdited) -> None:
        if self._left is not None and event.text == self._left.query:
            return  # not typed: a restored query, searched once the engine is ready
        self._left, self._go_down = None, False
        self.asking = self.asking.edited()
        self.search(event.text, typing=True)

    @on(QueryLine.QueryRun)
    def _query_run(self, event: QueryLine.QueryRun) -> None:
        self.asking = replace(self.asking, expand=False)
        listed = self.result is not None and self.result.query.raw == event.text and self.has_hits
        self.search(event.text, typing=False)
        if listed:  # keys pressed before its hits arrive apply to the hits shown now
            self.hits.begin_anew()
            self.stages.rerun = self.stages.number
        self._go_down = not self.has_hits
        self.go_down()

    def search(self, text: str, *, typing: bool, again: bool = False) -> None:
        """Search for a text, or clear the hits if it is empty. `again`: repeat after a change."""
        self.asking = replace(self.asking, text=text, typing=typing)
        if self.asking.is_empty:
            self._forget()
        else:
            self._begin(self.asking.request(self.context.profile, again=again))

    def _begin(self, request: Request) -> None:
        """Start a search once the key press is painted, and cancel the running one at once."""
        self.workers.cancel_group(self, "search")
        if self._furnished:
            self.hits.put_off()
        if self._patience is None:
            self._patience = self.set_timer(asking.PATIENCE, self._dim)
        self.call_after_refresh(self._start, self.stages.begin(), request)

    def _start(self, number: int, request: Request) -> None:
        if number == self.stages.number:
            run, failed = partial(self._run, number, request), partial(self._search_failed, number)
            self.request(run, failed=failed, group="search")

    def _run(self, number: int, request: Request, client: Client) -> None:
        """Search, and post the stages as they arrive. Runs in a thread."""
        for meant, result in client.call(operations.workbench.search, request):
            self.post_message(HitsArrived(number, result, again=meant.unlogged, request=meant))

    def _stop_waiting(self) -> None:
        """Stop waiting: the result has arrived or was canceled."""
        if self._patience is not None:
            self._patience.stop()
            self._patience = None
        if self._furnished:
            self.hits.results.dimmed = False

    def _dim(self) -> None:
        """Dim the old hits while the search takes long."""
        self.query_line.say("asking a model…" if self.asking.expand else "searching…")
        if self._furnished:
            self.hits.results.dimmed = True

    @on(HitsArrived)
    def _hits_arrived(self, event: HitsArrived) -> None:
        if event.number < self.stages.number:
            return  # painting them would delay the next key
        if not event.result.partial:
            self._show(event)
        elif self.stages.keep(event, listed=self.has_hits):
            self.set_timer(asking.SOON, self._show_first)

    def _show_first(self) -> None:
        if (event := self.stages.first()) is not None:
            self._show(event)

    def _show(self, event: HitsArrived) -> None:
        """Show a stage of a search."""
        same = self.stages.show(event)
        if not event.result.partial:
            self._stop_waiting()
        self._failure = self._unread = None
        self._request = event.request or self._request
        self._list(event.result, same=same, again=event.again)
        if event.result.with_abstention() is not event.result:
            self.set_timer(PAUSE, partial(self._settle, event.result))
        if self._left is not None and not event.result.partial:
            self.hits.come_to(self._left.document)
            self._left = None
        if self._go_down and self.has_hits and self.query_line.has_focus:
            self._go_down = False
            self.call_after_refresh(self.go_down)

    def _list(self, result: SearchResult, *, same: bool, again: bool) -> None:
        """List a result."""
        from ark_tui.domain.query import SAVED

        self.result, self.hits.asked = result, self._request
        self.hits.show(result, same=same, again=again)
        if not result.partial:
            self.query_line.say_counts(result)
            typed = self.query_line.value.strip()
            logged = self._request if self.asking.logged is not None else None
            name = typed.split()[0] if typed.startswith(SAVED) and result.query.raw != typed else ""
            self.notice_line.show(result, self.context.keys["search.suggestion"], saved=name, logged=logged)
            self.query_line.say_terms([(chip.shown, chip.on) for chip in self.asking.chips(result)])
        self._show_or_explain()

    def _settle(self, result: SearchResult) -> None:
        """After a pause in typing, report if nothing is relevant, unless a newer search has begun."""
        if result is self.result and self.stages.shown == self.stages.number:
            self._list(result.with_abstention(), same=True, again=True)

    def _search_failed(self, number: int, error: ArkError) -> None:
        if not self.stages.fail(number, error):
            return
        self._stop_waiting()
        self._left = None
        if isinstance(error, QuerySyntaxError):
            if self.asking.typing and asking.is_unfinished(self.asking.text, error):
                return  # keep the old hits until the word is complete or enter is pressed
            self._unread = error
            self.notice_line.point(error)
        else:
            self._failure = error
            self.query_line.say("")
        self._show_or_explain()

    def rank_otherwise(self) -> None:
        """Search again with another profile."""
        self.asking = replace(self.asking, logged=None)
        self.post_message(CorpusChanged())

    @on(CorpusChanged)
    def _corpus_changed(self) -> None:
        """Repeat the search after a change of the corpus and keep the positions."""
        if self.result is not None:
            self.search(self.query_line.value, typing=self.asking.typing, again=True)

    @on(HitUsed)
    def _hit_used(self, event: HitUsed) -> None:
        if self.result is not None and self._request is not None:
            search = self._uses.fresh(event.document, event.kind, self._request, self.result)
            if search is not None:
                used = act(operations.workbench.used, *search, event.document, event.kind)
                self.request(used, group="uses", exclusive=False)

    def _forget(self) -> None:
        """Clear the search: the query is empty."""
        self.workers.cancel_group(self, "search")
        self.stages.forget()
        self._stop_waiting()
        self.result = self._failure = self._unread = None
        self.query_line.say("")
        self.asking = self.asking.emptied()
        if self._furnished:
            self.query_line.say_terms(())
            self.hits.clear()
            self.notice_line.clear()
        self._show_or_explain()

    def save_state(self) -> Session:
        """The state of the pane, for the next session."""
        if not self._furnished or self._left is not None:
            return replace(self._left or Session(), query=self.query_line.value)
        hit = self.hits.results.hit
        return Session(
            query=self.query_line.value,
            typing=self.asking.typing,
            superseded=self.asking.superseded,
            document=hit.document.id if hit else "",
        )

    def _show_or_explain(self) -> None:
        """Show the hits, or one of the four explanations."""
        self.set_class(not self.has_hits, "-empty")
        if self.has_hits:
            return
        if self._unread is not None:
            self.query_line.say("")  # the line refers to an older query
        title, sentence, offers = self._reason()
        self.empty.say(title, sentence, *offers)

    def _reason(self) -> Reason:
        """Why nothing is listed: the first reason that applies."""
        key, opening = self.context.key_in_text, self.context.opening
        documents = self._status.documents if self._status else None
        new = documents == 0 or not (opening.place or self.context.settings.home.store.exists())
        if self._failure is not None:
            reason = empty.failed(key, self._failure)
        elif self._indexing and (new or self.result is not None):
            reason = empty.indexing(key, self._indexing)
        elif new:
            reason = empty.nothing_yet(key, configured.next_root(self.context.settings, self._status))
        elif self._unread is not None:
            reason = empty.unreadable(key, self._unread)
        elif self.result is not None:
            reason = empty.no_results(key, self.result)
        elif self.query_line.value.strip():
            reason = empty.SEARCHING if opening.opened else empty.OPENING
        else:
            reason = empty.no_query(key, documents)
        return reason

    @on(QueryLine.Left)
    def go_down(self) -> None:
        """Move the focus from the query line to the results, if there are any."""
        if self.has_hits:
            self.hits.results.focus()
        elif not self.query_line.value:
            self.screen.set_focus(None)

    def step_back(self) -> bool:
        """Go one step back: from document or query to the results; there, clear the marks.

        Without results nothing is focused then, so that every key is an action.
        """
        if not self.has_hits:
            self.screen.set_focus(None)
        elif not self.hits.results.has_focus or not self.hits.results.unmark():
            self.hits.stop_reading()
            self.go_down()
        return True

    def on_notice_line_clicked(self) -> None:
        """Apply the suggestion that was clicked."""
        if self.result is not None and self.result.suggestions:
            self.action_suggestion()

    def narrow_to(self, collection: str) -> None:
        """Restrict the search to a collection."""
        self.query_line.narrow_to(collection)
        self.query_line.focus()

    @property
    def present(self) -> Request | None:
        """The current search in the form that is saved. None without one."""
        from ark_tui.interfaces.tui.state import wording

        return wording.saved_request(self._request) if self.result is not None and self._request else None

    def action_lab(self) -> None:
        """Open the ranking lab on the current search."""
        from ark_tui.domain.evaluation import Tuning

        if self.result is None or self._request is None or not self.has_hits:
            self.context.say(strings.NO_RESULTS_TO_RANK)
            return
        start = Tuning(self.result.profile, self._request.adjust)
        hit = self.hits.results.hit
        document = hit.document.id if hit else ""
        self.context.dialogs.open("lab.LabScreen", self._request, start, document)

    def action_ask(self) -> None:
        self.context.dialogs.open("think.ThinkScreen", self.present.query if self.present else "")

    def action_saved(self) -> None:
        """Choose a saved search and run it."""
        self._pick_saved("Saved searches", self.run_saved)

    def _pick_saved(self, title: str, then: Callable[[str], object], does: str = "") -> None:
        from ark_tui.interfaces.tui.state.names import SavedSearches

        empty = strings.NO_SAVED.format(key=self.context.keys["search.save"])
        self.context.dialogs.name(title, SavedSearches(empty, does), then)

    def action_edit_saved(self) -> None:
        """Choose a saved search, to rename or delete it."""
        self._pick_saved(strings.ASK_EDIT_SAVED, self._edit_saved, strings.DOES_CHOOSE)

    def _edit_saved(self, name: str) -> None:
        from ark_tui.domain.query import SAVED

        def answered(letter: str) -> None:
            if letter == "x":
                self.hits.carry_out(act(operations.saved.delete, name))
            else:
                title = f"Rename {SAVED}{name}"
                self.context.dialogs.ask(title, strings.NAME_HINT, rename, name)

        def rename(to: str) -> None:
            self.hits.carry_out(act(operations.saved.rename, name, to))

        self.context.dialogs.answer(f"{SAVED}{name}", (), {"r": "rename", "x": "delete"}, answered)

    def run_saved(self, name: str) -> None:
        """Run a saved search, given by its name, and mark its changes as seen."""
        from ark_tui.domain.query import SAVED

        self.ask(f"{SAVED}{name}")
        self.request(act(operations.saved.diff, name, seen=True), group="looks", exclusive=False)

    def action_save(self) -> None:
        present = self.present
        if present is None:
            self.context.say(strings.NO_SEARCH_TO_SAVE)
            return
        self.context.dialogs.ask(
            f"Save “{present.query}” as",
            strings.NAME_HINT,
            lambda name: self.hits.carry_out(act(operations.workbench.save_search, name, present)),
        )

    def action_why_not(self) -> None:
        """Ask which document was expected, and explain why it is not listed."""
        if self.result is None or self._request is None:
            self.context.say(strings.NO_SEARCH_TO_EXPLAIN)
        else:
            self.hits.ask_why_not(replace(self._request, typing=False))

    def ask(self, text: str) -> None:
        """Enter a query and run it, as if it were typed."""
        self._fill(text)
        self.query_line.action_run()

    def run_again(self, request: Request) -> None:
        """Run a search from the log with its original options, until the query is edited."""
        self._fill(request.query)
        self.asking, self._go_down = replace(self.asking, logged=request), True
        self.search(request.query, typing=request.typing)

    def _fill(self, text: str) -> None:
        self._left, self.asking = None, self.asking.edited()
        self.query_line.fill(text)
        self.query_line.focus()

    def action_below(self) -> None:
        """Show or hide low-confidence results."""
        result = self.result
        if result is None or not (result.below or result.lists_below):
            self.context.say(strings.NO_LOW_CONFIDENCE)
            return
        self._list(result.with_below() if result.below else result.with_abstention(), same=False, again=False)

    def action_superseded(self) -> None:
        """Toggle superseded documents."""
        self.asking = self.asking.superseded_turned()
        listed = self.asking.lists_superseded
        self.context.say(strings.SUPERSEDED_SHOWN if listed else strings.SUPERSEDED_HIDDEN)
        self.post_message(CorpusChanged())

    def action_terms(self) -> None:
        """Choose a term that the search added, to be left out or used again."""
        chips = self.asking.chips(self.result) if self.result is not None else ()
        if not chips:
            self.context.say(strings.NO_TERMS)
            return

        from ark_tui.interfaces.tui.state.names import Choice

        def switch(number: int) -> None:
            self.asking = self.asking.switched(chips[number])
            self.search(self.query_line.value, typing=self.asking.typing)

        said = {True: strings.TERM_USED, False: strings.TERM_LEFT_OUT}
        choices = [Choice(visible_line(chip.shown), said[chip.on]) for chip in chips]
        self.context.dialogs.pick(strings.ASK_TERM, choices, switch, does=strings.DOES_SWITCH)

    def action_expand(self) -> None:
        """Search again with terms from the chat model."""
        self.asking = replace(self.asking, expand=True)
        self.search(self.query_line.value, typing=False)

    def action_suggestion(self) -> None:
        """Replace words that occur in no document with the suggestion."""
        from ark_tui.interfaces.tui.widgets.notice_line import corrected

        suggestions = self.result.suggestions if self.result else ()
        if suggestions:
            self.query_line.value = corrected(self.query_line.value, suggestions)
            self.query_line.cursor_position = len(self.query_line.value)
        else:
            self.context.say(strings.NO_SUGGESTION)
