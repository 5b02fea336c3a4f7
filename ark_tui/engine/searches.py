"""The log of searches: written after the results are returned, run again, and compared."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, TypeAlias

from ark_tui.domain.errors import ArkError, Cancelled, NotFound
from ark_tui.domain.hits import SearchResult
from ark_tui.domain.query import Request
from ark_tui.domain.searches import Answer, Move, Rerun, Retrieval, SavedDiff
from ark_tui.engine.services import Services
from ark_tui.settings.ranking import changed
from ark_tui.store import searches as log

if TYPE_CHECKING:
    from datetime import datetime

    from ark_tui.domain.curation import SavedSearch

Search: TypeAlias = "Callable[[Request], SearchResult]"
Taken: TypeAlias = "tuple[Request, SearchResult, int, datetime]"  # with the store's change and the time

LINGER = 0.5  # seconds before a search is written, so the next one does not wait for the store


class Journal:
    """Writes searches to the log in a thread, in batches."""

    def __init__(self, parts: Services) -> None:
        self._parts = parts
        self._waiting: list[Taken] = []
        self._hold = threading.Lock()
        self._now = threading.Event()
        self._thread: threading.Thread | None = None
        self._problem: ArkError | None = None

    def keep(self, request: Request, result: SearchResult) -> None:
        """Queue a search for the log; does not wait."""
        one = request, result, self._parts.store.change(), self._parts.clock.now()
        with self._hold:
            self._waiting.append(one)
            if self._thread is None:
                self._thread = threading.Thread(target=self._write_soon, name="searches")
                self._thread.start()

    def settle(self) -> ArkError | None:
        """Wait until all searches are written; return and clear the last error."""
        with self._hold:
            thread = self._thread
        if thread:
            self._now.set()
            thread.join()
            self._now.clear()
        problem, self._problem = self._problem, None
        return problem

    def _retrieval(self, taken: Taken, model: str) -> Retrieval:
        request, result, change, moment = taken
        return Retrieval(
            result.retrieval_id,
            request,
            asdict(changed(self._parts.settings.profiles[result.profile], request.adjust)),
            model,
            change,
            moment,
            tuple(Answer(hit.rank, hit.document.id, hit.chunk.id, hit.score) for hit in result.hits),
        )

    def _write_soon(self) -> None:
        while True:
            self._now.wait(LINGER)
            with self._hold:
                batch, self._waiting = self._waiting, []
                if not batch:
                    self._thread = None
                    return
            self._write(batch)

    def _write(self, batch: list[Taken]) -> None:
        try:
            model = fingerprint(self._parts)
            kept = [self._retrieval(one, model) for one in batch]
            with self._parts.store.write() as lease:
                log.put(lease, kept)
        except ArkError as error:  # the result is returned already; `settle` reports it
            self._problem = error
        except OSError as error:
            self._problem = ArkError(f"{error.filename or 'The home'}: {error.strerror}.")


def fingerprint(parts: Services) -> str:
    """The fingerprint of the model that searches use; empty if there is none."""
    if served := parts.model_in_use():
        return served.fingerprint
    return parts.embedder.fingerprint if parts.embedder else ""


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
                yield SavedDiff(one.name, one.request.query, None, 0, problem=error.what)

    def diff(self, one: SavedSearch, saved: Sequence[SavedSearch], *, seen: bool) -> SavedDiff:
        """The changes of a saved search. Raises the errors of a search. `seen`: record a view."""
        self._journal.settle()
        with self._parts.store.read() as lease:
            known = log.last_look(lease, self._agent, one.request)
            before = log.get(lease, known) if known else None
        after = self._search(replace(one.request, unlogged=True, agent=self._agent))
        if seen:
            self._look(one, after, saved)
        found = SavedDiff(one.name, one.request.query, None, len(after.hits), seen=seen, off=after.off)
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
