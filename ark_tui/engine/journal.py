"""The log of searches, written after their results are returned."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import datetime
from typing import TypeAlias

from ark_tui.domain.errors import ArkError
from ark_tui.domain.hits import SearchResult
from ark_tui.domain.profile import Profile
from ark_tui.domain.protocols import Clock
from ark_tui.domain.query import Request
from ark_tui.domain.searches import Answer, Retrieval
from ark_tui.settings.ranking import changed
from ark_tui.store import Store
from ark_tui.store import searches as log

Taken: TypeAlias = tuple[Request, SearchResult, int, datetime]
"""A search with the number of the store's latest change and the time."""

LINGER = 0.5  # seconds before a search is written, so the next one does not wait for the store


class Journal:
    """Writes searches to the log in a thread, in batches."""

    def __init__(
        self, store: Store, clock: Clock, profiles: Mapping[str, Profile], model: Callable[[], str]
    ) -> None:
        """`model`: returns the fingerprint of the model that searches use."""
        self._store, self._clock, self._profiles, self._model = store, clock, profiles, model
        self._waiting: list[Taken] = []
        self._hold = threading.Lock()
        self._now = threading.Event()
        self._thread: threading.Thread | None = None
        self._problem: ArkError | None = None

    def keep(self, request: Request, result: SearchResult) -> None:
        """Queue a search for the log; does not wait."""
        one = request, result, self._store.change(), self._clock.now()
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
            asdict(changed(self._profiles[result.profile], request.adjust)),
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
            model = self._model()
            kept = [self._retrieval(one, model) for one in batch]
            with self._store.write() as lease:
                log.put(lease, kept)
        except ArkError as error:  # the result is returned already; `settle` reports it
            self._problem = error
        except OSError as error:
            self._problem = ArkError(f"{error.filename or 'The home'}: {error.strerror}.")
