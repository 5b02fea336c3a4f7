"""Saved searches that report: what entered, left and moved since somebody looked at them last (X5)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ark_tui.domain.errors import ArkError, Cancelled
from ark_tui.domain.searches import SavedDiff
from ark_tui.engine import searches
from ark_tui.store import looks
from ark_tui.store import searches as log

if TYPE_CHECKING:
    from ark_tui.domain.curation import SavedSearch
    from ark_tui.domain.hits import SearchResult
    from ark_tui.domain.query import Request
    from ark_tui.engine.journal import Journal
    from ark_tui.engine.services import Services

    Search = Callable[[Request], SearchResult]


class Looks:
    """Compares saved searches with the last look at them."""

    def __init__(self, parts: Services, journal: Journal, search: Search, agent: str) -> None:
        """`search` runs a request and keeps it out of the log; `agent`: whose looks count."""
        self._parts = parts
        self._journal = journal
        self._search = search
        self._agent = agent

    def diffs(self, saved: Sequence[SavedSearch], *, seen: bool) -> Iterator[SavedDiff]:
        """What has become of each of them; `seen`: this is a look. One that cannot be run says why."""
        for one in saved:
            try:
                yield self.diff(one, saved, seen=seen)
            except Cancelled:
                raise
            except ArkError as error:
                yield SavedDiff(one.name, one.query, None, 0, problem=error.what)

    def diff(self, one: SavedSearch, saved: Sequence[SavedSearch], *, seen: bool) -> SavedDiff:
        """What has become of a saved search; raises what a search does."""
        self._journal.settle()
        with self._parts.store.read() as lease:
            known = looks.last(lease, self._agent, one.request)
            before = log.get(lease, known) if known else None
        after = self._search(replace(one.request, unlogged=True, agent=self._agent))
        if seen:
            self._look(one, after, saved)
        found = SavedDiff(one.name, one.query, None, len(after.hits), seen=seen, off=after.off)
        if before is None:
            return found
        compared = searches.compared(self._parts, before, after)
        moves = tuple(move for move in compared.moves if move.kind != "stayed")
        return replace(found, looked=before.at, moves=moves, differing=compared.differing)

    def _look(self, one: SavedSearch, result: SearchResult, saved: Sequence[SavedSearch]) -> None:
        """Keep the search in the log, and note that it was a look."""
        request = replace(one.request, profile=result.profile, agent=self._agent)
        self._journal.keep(request, result)
        if problem := self._journal.settle():
            raise problem
        with self._parts.store.write() as lease:
            kept = [other.request for other in saved]
            looks.note(lease, self._agent, one.request, result.retrieval_id, kept)
