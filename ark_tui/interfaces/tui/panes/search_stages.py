"""Searches come back in stages: which stage of which search is to be shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ark_tui.domain.errors import QuerySyntaxError

if TYPE_CHECKING:
    from ark_tui.interfaces.tui.state.messages import HitsArrived, SearchFailed

SOON = 0.01
"""Seconds that the first stage of a search waits for the rest before it is shown."""

PATIENCE = 0.15
"""Seconds that a search may take before the old hits are dimmed."""


def is_unfinished(text: str, error: QuerySyntaxError) -> bool:
    """Whether a query cannot be read because its last word is still being typed: `tag:`, `"spectral ga`."""
    rest = text[error.column :]
    return rest.count('"') % 2 == 1 or not any(sign.isspace() for sign in rest)


class Stages:
    """Counts searches: one at a time, each given up for the next."""

    def __init__(self) -> None:
        self.number = 0  # of the latest search asked for
        self.shown = 0  # the number of the search that is on the screen
        self.rerun = 0  # of one whose query was on the screen already when it was run
        self._first: HitsArrived | None = None  # the first stage, while it waits for the rest

    def begin(self) -> int:
        """Another search is asked for: its number."""
        self.number += 1
        self._first = None
        return self.number

    def forget(self) -> None:
        """There is nothing to search for any more: whatever is under way is not shown."""
        self.shown = self.begin()

    def keep(self, event: HitsArrived, *, listed: bool) -> bool:
        """Whether a first stage is to be shown, if the rest does not come so soon that nobody sees it.

        Not of the same search as before while that is `listed`: a shorter list would take the cursor along.
        """
        if (event.again or event.number == self.rerun) and listed:
            return False
        self._first = event
        return True

    def first(self) -> HitsArrived | None:
        """The first stage that has waited, if its search has not been shown meanwhile."""
        event, self._first = self._first, None
        return event if event is not None and event.number > self.shown else None

    def show(self, event: HitsArrived) -> bool:
        """A stage is shown now; whether its search, or its query, has been already."""
        same = event.number in (self.shown, self.rerun)
        self.shown = event.number
        if self._first is not None and self._first.number <= event.number:
            self._first = None
        return same

    def fail(self, event: SearchFailed) -> bool:
        """Whether a failure is to be shown; beside a query that cannot be read, the old hits stay."""
        if event.number < self.shown:
            return False
        if isinstance(event.error, QuerySyntaxError):
            self._first = None
        else:
            self.shown = event.number
        return True
