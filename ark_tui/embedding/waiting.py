"""Calls to servers that a search cannot wait for: each in a thread of its own, the answer within a budget.

A late answer is not lost: whoever asked keeps it for the next time. The threads are daemons, so that a
server that never answers does not keep a process from ending.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from ark_tui.domain.errors import ArkError
from ark_tui.embedding.retry import Busy, ServerFailure, Slow

T = TypeVar("T")

AT_ONCE = 2  # calls under way to one server; while they hang, further ones are not added to them
REST = 2.0  # seconds after a failure that took long, for which it is not asked again
QUICK = 0.2  # seconds; a server that refuses sooner may be asked every time


class Asked(Generic[T]):
    """A call under way."""

    def __init__(self, who: str, call: Callable[[], T] | None = None, known: T | None = None) -> None:
        self._who = who
        self._done = threading.Event()
        self._value = known
        self._failure: ArkError | None = None
        self._started = time.monotonic()
        if call is None:
            self._done.set()
        else:
            threading.Thread(target=self._run, args=(call,), name=f"asking {who}", daemon=True).start()

    @classmethod
    def failed(cls, failure: ArkError) -> Asked[T]:
        """One that has failed already."""
        made: Asked[T] = cls("")
        made._failure = failure
        return made

    def within(self, budget: float) -> T:
        """The answer, `budget` seconds after it was asked for at the latest.

        Raises `Slow` when it is not there by then, or the `ArkError` that it failed with.
        """
        if not self._done.wait(max(0.0, self._started + budget - time.monotonic())):
            raise Slow(f"{self._who} did not answer within {budget:g} s.", "The next search may have it.")
        if self._failure is not None:
            raise self._failure
        assert self._value is not None
        return self._value

    def _run(self, call: Callable[[], T]) -> None:
        try:
            self._value = call()
        except ArkError as failure:
            self._failure = failure
        except Exception as error:  # noqa: BLE001 - a thread of its own; the search says what it was
            self._failure = ServerFailure(f"{self._who}: {type(error).__name__}: {error}.", "This is a bug.")
        finally:
            self._done.set()


class Line:
    """The way to one server: not more than a few calls at once, and a rest after a failure."""

    def __init__(self, who: str) -> None:
        self._who = who
        self._free = threading.BoundedSemaphore(AT_ONCE)
        self._failed: tuple[float, ServerFailure] | None = None

    def ask(self, call: Callable[[], T]) -> Asked[T]:
        """Begin a call; one that fails at once while the line is full, or rests after a failure."""
        failed = self._failed
        if failed and time.monotonic() - failed[0] < REST:
            return Asked.failed(failed[1])
        if not self._free.acquire(blocking=False):
            return Asked.failed(Busy(f"{self._who} has not answered yet what was asked before."))
        return Asked(self._who, lambda: self._called(call))

    def _called(self, call: Callable[[], T]) -> T:
        started = time.monotonic()
        try:
            found = call()
        except ServerFailure as failure:
            now = time.monotonic()
            self._failed = (now, failure) if now - started > QUICK else None
            raise
        finally:
            self._free.release()
        self._failed = None
        return found
