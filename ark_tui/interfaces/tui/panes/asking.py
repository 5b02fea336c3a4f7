"""How a search is asked, which of its stages is shown, and which uses of its hits are logged."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ark_tui.domain.errors import QuerySyntaxError

if TYPE_CHECKING:
    from ark_tui.domain.hits import SearchResult
    from ark_tui.domain.memory import AccessKind
    from ark_tui.domain.query import Request
    from ark_tui.interfaces.tui.state.messages import HitsArrived, SearchFailed


LIMIT = 50
"""Hits of a search."""


@dataclass(frozen=True, slots=True)
class Asking:
    """A query and how it is meant. A search of the log is asked as it was run, until the query is edited."""

    text: str = ""
    typing: bool = True  # the last word may not be finished
    superseded: bool = False  # list superseded documents, too
    without: tuple[str, ...] = ()  # terms that no search is to add
    literally: tuple[str, ...] = ()  # words of the query that are read as they stand
    expand: bool = False  # the chat model is asked for terms
    logged: Request | None = None  # the search of the log

    @property
    def is_empty(self) -> bool:
        """Whether nothing is asked."""
        return not self.text.strip() and self.logged is None

    def edited(self) -> Asking:
        """As it is meant once the query is another."""
        return replace(self, expand=False, logged=None)

    def emptied(self) -> Asking:
        """As it is meant once there is no query any more."""
        return replace(self, expand=False, without=(), literally=())

    @property
    def lists_superseded(self) -> bool:
        return (self.logged or self).superseded

    def superseded_turned(self) -> Asking:
        """With superseded documents, too, or with them no more."""
        return self._so(superseded=not self.lists_superseded)

    def switched(self, term: str, *, on: bool) -> Asking:
        """With a term that searches add, or without it."""
        without = tuple(one for one in (self.logged or self).without if one != term)
        return self._so(without=without if on else (*without, term))

    def read_as(self, words: str, *, literally: bool) -> Asking:
        """With words of the query read as they stand, or as a time or an exclusion again."""
        others = tuple(one for one in (self.logged or self).literally if one != words)
        return self._so(literally=(*others, words) if literally else others)

    @property
    def reads_literally(self) -> tuple[str, ...]:
        return (self.logged or self).literally

    def request(self, profile: str, *, again: bool) -> Request:
        """What the engine is asked; `again` is the same search for a change, which nobody has run."""
        from ark_tui.domain.query import Request

        how = self.logged or Request(
            self.text,
            limit=LIMIT,
            profile=profile,
            superseded=self.superseded,
            without=self.without,
            literally=self.literally,
        )
        return replace(how, typing=self.typing, expand=self.expand or how.expand, unlogged=again)

    def _so(self, **how: Any) -> Asking:
        """Meant otherwise: the search of the log, as long as it is one."""
        if self.logged is not None:
            return replace(self, logged=replace(self.logged, **how))
        return replace(self, **how)


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


@dataclass(frozen=True, slots=True)
class Use:
    """A hit of a search was of use; `kind` is None where it was judged."""

    request: Request
    result: SearchResult
    document: str
    kind: AccessKind | None


class Uses:
    """Knows which uses of hits are noted already: each way of using one counts once for a search."""

    def __init__(self) -> None:
        self._kept: tuple[Request, SearchResult] | None = None  # the latest search of which a hit was of use
        self._noted: set[tuple[str, str, AccessKind | None]] = set()  # search, document, how

    def fresh(
        self, document: str, kind: AccessKind | None, request: Request, result: SearchResult
    ) -> Use | None:
        """The use of a hit of the search that is shown; None where it has been noted before."""
        request = replace(request, unlogged=False)
        if self._kept is None or not _is_of(document, request, result, *self._kept):
            self._kept = (request, result)
            self._noted.clear()  # nothing asks about the uses of an earlier search again
        noted = (self._kept[1].retrieval_id, document, kind)
        if noted in self._noted:
            return None
        self._noted.add(noted)
        return Use(*self._kept, document, kind)


def _is_of(document: str, request: Request, result: SearchResult, asked: Request, kept: SearchResult) -> bool:
    """Whether the use of a hit is one of the search that is kept already, not of what is shown now.

    The same search comes back whole after its first stage, and anew when the corpus has changed.
    """
    listed = {hit.document.id for hit in kept.hits}
    new = document not in listed and any(hit.document.id == document for hit in result.hits)
    return asked == request and not kept.partial and not new
