"""What all calls to one home share: the engine, the search limiter, stored answers."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ark_tui.engine import Engine
    from ark_tui.engine.jobs import Jobs
    from ark_tui.settings.caller import Caller

PRINCIPAL = "ark.principal"
"""The key of the token's principal in the scope of a request."""

SEARCHES = 8
"""Concurrent searches; more would only wait for each other on typical machines."""

LISTENERS = 64
"""Concurrent event streams, each with a thread."""

KEPT = 1000
"""The number of stored answers to changes."""

LONGEST = 1 << 20
"""Characters of a stored answer, at most."""


class Refused(Exception):
    """A request that is rejected, or cannot be served now."""

    def __init__(self, status: int, what: str, hint: str = "") -> None:
        super().__init__(what)
        self.status = status
        self.what = what
        self.hint = hint


class Limiter:
    """Limits concurrency: requests above the limit are refused at once instead of queued.

    `what`: the subject of the error message, such as `searches are running`.
    """

    def __init__(self, most: int, what: str) -> None:
        self._room = threading.Semaphore(most)
        self._most, self._what = most, what

    @contextmanager
    def one(self) -> Iterator[None]:
        """Take a place for this block. Raises `Refused` (429) if there is none."""
        if not self._room.acquire(blocking=False):
            raise Refused(429, f"{self._most} {self._what} already.", "Ask again in a second.")
        try:
            yield
        finally:
            self._room.release()


class Answers:
    """Answers to changes by key: a repeated request waits for the first answer."""

    def __init__(self) -> None:
        self._hold = threading.Lock()
        self._kept: OrderedDict[str, tuple[threading.Event, list[tuple[str, str]]]] = OrderedDict()

    def once(self, key: str, work: Callable[[], tuple[str, str]]) -> tuple[str, str]:
        """Run the work, or return its stored answer."""
        with self._hold:
            first = key not in self._kept
            done, answer = self._kept.setdefault(key, (threading.Event(), []))
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        if first:
            try:
                found = work()
                answer.append(found)
            finally:
                if not answer or len(answer[0][1]) > LONGEST or answer[0][0] == "error":
                    with self._hold:
                        self._kept.pop(key, None)
                done.set()
            return found
        done.wait()
        return answer[0] if answer else work()


@dataclass(frozen=True, slots=True)
class ServerState:
    """The state of a server of one home. `guarded`: every caller has shown a token.

    `own`: further calls besides operations and the workbench's functions, by name. `engines`: returns the
    engine for a local caller, with that caller's settings.
    """

    engine: Engine
    searches: Limiter
    jobs: Jobs
    guarded: bool = False
    listeners: Limiter = field(default_factory=lambda: Limiter(LISTENERS, "streams of events are open"))
    answers: Answers = field(default_factory=Answers)
    own: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    engines: Callable[[Caller], Engine] | None = None

    def engine_of(self, caller: Caller | None) -> Engine:
        """The engine for a caller; None: a caller from another machine."""
        return self.engines(caller) if caller and self.engines else self.engine


def state_for(engine: Engine, searches: int = SEARCHES, *, guarded: bool = False) -> ServerState:
    """The state of a server for an engine."""
    return ServerState(engine, Limiter(searches, "searches are running"), engine.jobs, guarded)
