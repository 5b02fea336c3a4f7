"""Searches of a pane: one at a time, each given up for the next, arriving in stages and waited for."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from textual.worker import get_current_worker

from ark_tui.domain.errors import ArkError, Cancelled, QuerySyntaxError
from ark_tui.faces.tui.messages import HitsArrived, SearchFailed

if TYPE_CHECKING:
    from textual.timer import Timer

    from ark_tui.domain.query import Request
    from ark_tui.faces.tui.panes.search import SearchPane

SOON = 0.01
"""Seconds that the first stage of a search waits for the rest before it is shown."""

PATIENCE = 0.15
"""Seconds that a search may take before the old hits are dimmed."""


class Stages:
    """Has searches carried out and says what of them is to be shown. On the thread that paints."""

    def __init__(self, pane: SearchPane) -> None:
        self._pane = pane
        self._number = 0  # of the latest search asked for
        self.shown = 0  # the number of the search that is on the screen
        self._first: HitsArrived | None = None  # the first stage, while it waits for the rest
        self._timer: Timer | None = None

    def begin(self, request: Request) -> None:
        """Search once the key is on the screen, and give up whatever search is under way at once."""
        self._give_up()
        if self._timer is None:
            self._timer = self._pane.set_timer(PATIENCE, self._pane.dim)
        self._pane.call_after_refresh(self._start, self._number, request)

    def forget(self) -> None:
        """There is nothing to search for any more: whatever is under way is not shown."""
        self._give_up()
        self.stop_waiting()
        self.shown = self._number

    def stop_waiting(self) -> None:
        """Whatever was waited for is there, or will not come."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        self._pane.undim()

    def take(self, event: HitsArrived) -> None:
        """Have hits shown; a first stage only if the whole does not come so soon that nobody sees it."""
        if event.number < self._number:  # painting them would hold up the key that has come since
            return
        if event.result.partial:
            if event.again and self._pane.has_hits:  # a shorter list would take the cursor along
                return
            self._first = event
            self._pane.set_timer(SOON, self._show_first)
        else:
            self._show(event)

    def take_failure(self, event: SearchFailed) -> bool:
        """Whether a failure is to be shown; beside a query that cannot be read, the old hits stay."""
        if event.number < self.shown:
            return False
        self.stop_waiting()
        if isinstance(event.error, QuerySyntaxError):
            self._first = None
        else:
            self.shown = event.number
        return True

    def _give_up(self) -> None:
        self._number += 1
        self._first = None
        self._pane.workers.cancel_group(self._pane, "search")

    def _start(self, number: int, request: Request) -> None:
        if number == self._number:
            search = partial(self._search, number, request)
            self._pane.run_worker(search, thread=True, exclusive=True, group="search", exit_on_error=False)

    def _search(self, number: int, request: Request) -> None:
        from ark_tui.faces.tui import saving

        stop = get_current_worker().cancelled_event
        try:
            engine = self._pane.ark.opening.wait(stop)
            request = saving.meant(engine, request)
            for result in engine.search_stages(request, stop):
                arrived = HitsArrived(number, result, again=request.unlogged, request=request)
                self._pane.post_message(arrived)
        except Cancelled:
            return
        except ArkError as error:
            self._pane.post_message(SearchFailed(number, error))

    def _show_first(self) -> None:
        event, self._first = self._first, None
        if event is not None and event.number > self.shown:
            self._show(event)

    def _show(self, event: HitsArrived) -> None:
        same = event.number == self.shown
        self.shown = event.number
        if self._first is not None and self._first.number <= event.number:
            self._first = None
        if not event.result.partial:
            self.stop_waiting()
        self._pane.show(event, same=same)
