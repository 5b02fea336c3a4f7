"""The parameters of a search, its stages, and the log of used hits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ark_tui.domain.errors import ArkError, QuerySyntaxError

if TYPE_CHECKING:
    from ark_tui.domain.hits import SearchResult
    from ark_tui.domain.memory import AccessKind
    from ark_tui.domain.query import Request
    from ark_tui.interfaces.tui.state.messages import HitsArrived


LIMIT = 50
"""Maximum hits of a search."""


@dataclass(frozen=True, slots=True)
class Chip:
    """A term that a search added, or words of the query that it read as a date or an exclusion."""

    text: str
    shown: str  # with a sign: `+ mixing`, `= 2026-11-09…2026-11-15`, `≠ trees`
    on: bool
    words: bool = False  # words of the query


@dataclass(frozen=True, slots=True)
class Asking:
    """A query with its options. A search from the log keeps its options until the query is edited."""

    text: str = ""
    typing: bool = True  # the last word may be incomplete
    superseded: bool = False  # include superseded documents
    without: tuple[str, ...] = ()  # expansion terms to exclude
    literally: tuple[str, ...] = ()  # query words to take literally
    expand: bool = False  # expand with the chat model
    logged: Request | None = None  # the search from the log

    @property
    def is_empty(self) -> bool:
        """Whether the query is empty."""
        return not self.text.strip() and self.logged is None

    def edited(self) -> Asking:
        """The options after an edit of the query."""
        return replace(self, expand=False, logged=None)

    def emptied(self) -> Asking:
        """The options after the query was cleared."""
        return replace(self, expand=False, without=(), literally=())

    @property
    def lists_superseded(self) -> bool:
        return (self.logged or self).superseded

    def superseded_turned(self) -> Asking:
        """Toggle superseded documents."""
        return self._so(superseded=not self.lists_superseded)

    def switched(self, chip: Chip) -> Asking:
        """Leave out what a chip stands for, or use it again."""
        name = "literally" if chip.words else "without"
        others = tuple(one for one in getattr(self.logged or self, name) if one != chip.text)
        return self._so(**{name: (*others, chip.text) if chip.on else others})

    def chips(self, result: SearchResult) -> tuple[Chip, ...]:
        """What was read in the query, then the terms that the search added, used or left out."""
        from ark_tui.interfaces.tui.state import wording

        literally, expansion = (self.logged or self).literally, result.expansion
        read = (Chip(one.text, wording.understood(one), on=True, words=True) for one in result.understood)
        words = (Chip(one, f"- {one}", on=False, words=True) for one in literally if one in self.text)
        used = (Chip(one, f"+ {one}", on=True) for one in expansion.terms)
        unused = (Chip(one, f"- {one}", on=False) for one in expansion.without)
        return (*read, *words, *used, *unused)

    def request(self, profile: str, *, again: bool) -> Request:
        """The engine request. `again`: repeated because of a change, and therefore not logged."""
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
        """A copy with other options, also on the search from the log."""
        if self.logged is not None:
            return replace(self, logged=replace(self.logged, **how))
        return replace(self, **how)


SOON = 0.01
"""Seconds that the first stage waits for the complete result before it is shown."""

PATIENCE = 0.15
"""Seconds after which a running search dims the old hits."""


def is_unfinished(text: str, error: QuerySyntaxError) -> bool:
    """Whether a query is invalid only because its last word is incomplete: `tag:`, `"spectral ga`."""
    rest = text[error.column :]
    return rest.count('"') % 2 == 1 or not any(sign.isspace() for sign in rest)


class Stages:
    """Numbers searches, one at a time; a new one cancels the previous one."""

    def __init__(self) -> None:
        self.number = 0  # of the latest request
        self.shown = 0  # number of the search shown
        self.rerun = 0  # the search whose query was shown when it started
        self._first: HitsArrived | None = None  # the first stage, while it waits

    def begin(self) -> int:
        """Start a new search and return its number."""
        self.number += 1
        self._first = None
        return self.number

    def forget(self) -> None:
        """Drop the running search; its result is not shown."""
        self.shown = self.begin()

    def keep(self, event: HitsArrived, *, listed: bool) -> bool:
        """Whether to keep a first stage and show it later, if the complete result is not there by then.

        Not for the search that is `listed` already: a shorter list would move the cursor.
        """
        if (event.again or event.number == self.rerun) and listed:
            return False
        self._first = event
        return True

    def first(self) -> HitsArrived | None:
        """The waiting first stage, unless its search has been shown already."""
        event, self._first = self._first, None
        return event if event is not None and event.number > self.shown else None

    def show(self, event: HitsArrived) -> bool:
        """Mark a stage as shown. Return whether its search, and its query, were shown before."""
        same = event.number in (self.shown, self.rerun)
        self.shown = event.number
        if self._first is not None and self._first.number <= event.number:
            self._first = None
        return same

    def fail(self, number: int, error: ArkError) -> bool:
        """Whether to show an error. For an invalid query the old hits stay."""
        if number < self.shown:
            return False
        if isinstance(error, QuerySyntaxError):
            self._first = None
        else:
            self.shown = number
        return True


class Uses:
    """Removes duplicate uses: each kind of use counts once per search and document."""

    def __init__(self) -> None:
        self._kept: tuple[Request, SearchResult] | None = None  # the latest search with a used hit
        self._noted: set[tuple[str, str, AccessKind | None]] = set()  # search, document, how

    def fresh(
        self, document: str, kind: AccessKind | None, request: Request, result: SearchResult
    ) -> tuple[Request, SearchResult] | None:
        """The search that a use of a hit belongs to, or None if it was logged already."""
        request = replace(request, unlogged=False)
        if self._kept is None or not _is_of(document, request, result, *self._kept):
            self._kept = (request, result)
            self._noted.clear()  # uses of earlier searches are never requested again
        noted = (self._kept[1].retrieval_id, document, kind)
        if noted in self._noted:
            return None
        self._noted.add(noted)
        return self._kept


def _is_of(document: str, request: Request, result: SearchResult, asked: Request, kept: SearchResult) -> bool:
    """Whether the use belongs to the stored search instead of the one shown now.

    The same search arrives again when it is complete and when the corpus changes.
    """
    listed = {hit.document.id for hit in kept.hits}
    new = document not in listed and any(hit.document.id == document for hit in result.hits)
    return asked == request and not kept.partial and not new
