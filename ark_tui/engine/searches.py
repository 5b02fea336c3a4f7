"""Rerunning logged searches and comparing the results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from ark_tui.domain.errors import ArkError, Cancelled, NotFound
from ark_tui.domain.hits import SearchResult
from ark_tui.domain.query import Request
from ark_tui.domain.searches import Move, Rerun, Retrieval, SavedDiff
from ark_tui.engine.journal import Journal
from ark_tui.engine.services import Services
from ark_tui.store import searches as log

if TYPE_CHECKING:
    from ark_tui.domain.curation import SavedSearch

Search: TypeAlias = "Callable[[Request], SearchResult]"


def compared(before: Retrieval, after: SearchResult) -> Rerun:
    """Compare the current results of a search with the logged ones."""
    ranks = {hit.document.id: hit for hit in after.hits}
    moves = [
        Move(a.document, a.title, a.path, a.rank, ranks[a.document].rank if a.document in ranks else None)
        for a in before.answers
    ]
    known = {a.document for a in before.answers}
    moves += [
        Move(hit.document.id, hit.document.title, hit.document.path, None, hit.rank)
        for hit in after.hits
        if hit.document.id not in known
    ]
    return Rerun(before, after, tuple(moves))


def again(parts: Services, before: Retrieval) -> Request:
    """The request of a logged search, to be rerun without logging. Raises `NotFound` without its profile."""
    if before.request.profile not in parts.settings.profiles:
        raise NotFound(
            f"There is no profile {before.request.profile} any more.",
            f"Profiles: {', '.join(sorted(parts.settings.profiles))}.",
        )
    return replace(before.request, unlogged=True)


class Looks:
    """Compares saved searches with their results when last viewed."""

    def __init__(self, parts: Services, journal: Journal, search: Search, agent: str) -> None:
        """`search` runs a request without logging; `agent`: whose views count."""
        self._parts = parts
        self._journal = journal
        self._search = search
        self._agent = agent

    def diffs(self, saved: Sequence[SavedSearch], *, seen: bool) -> Iterator[SavedDiff]:
        """The changes of each saved search; a failed one has a `problem`. `seen`: record a view."""
        for one in saved:
            try:
                yield self.diff(one, saved, seen=seen)
            except Cancelled:
                raise
            except ArkError as error:
                yield SavedDiff(one.name, one.query, None, 0, problem=error.what)

    def diff(self, one: SavedSearch, saved: Sequence[SavedSearch], *, seen: bool) -> SavedDiff:
        """The changes of a saved search. Raises the errors of a search. `seen`: record a view."""
        self._journal.settle()
        with self._parts.store.read() as lease:
            known = log.last_look(lease, self._agent, one.request)
            before = log.get(lease, known) if known else None
        after = self._search(replace(one.request, unlogged=True, agent=self._agent))
        if seen:
            self._look(one, after, saved)
        found = SavedDiff(one.name, one.query, None, len(after.hits), seen=seen, off=after.off)
        if before is None:
            return found
        moves = tuple(move for move in compared(before, after).moves if move.kind != "stayed")
        return replace(found, looked=before.at, moves=moves)

    def _look(self, one: SavedSearch, result: SearchResult, saved: Sequence[SavedSearch]) -> None:
        """Log the search and record it as a view."""
        request = replace(one.request, profile=result.profile, agent=self._agent)
        self._journal.keep(request, result)
        if problem := self._journal.settle():
            raise problem
        with self._parts.store.write() as lease:
            kept = [other.request for other in saved]
            log.note_look(lease, self._agent, one.request, result.retrieval_id, kept)
