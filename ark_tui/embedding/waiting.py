"""Calls to servers in separate threads, with a time budget for waiting.

A late response is kept for the next search. The threads are daemons, so a hanging server does not keep the
process from exiting.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import Generic, TypeVar

from ark_tui.domain.errors import ArkError
from ark_tui.domain.protocols import NEVER, Stop, check
from ark_tui.embedding.retry import Busy, ServerFailure, Slow

T = TypeVar("T")

AT_ONCE = 2  # maximum running calls to one server; further ones fail at once
REST = 2.0  # seconds without requests after a slow failure
LOOK = 0.05  # seconds between checks of the stop token
QUICK = 0.2  # seconds; after a faster failure there is no pause


class Call(Future[T]):
    """A call in a thread, and its result. `sent_at`: time of the request to the server."""

    def __init__(self) -> None:
        super().__init__()
        self.sent_at = 0.0
        self.sent = threading.Event()
        self.add_done_callback(lambda _: self.sent.set())

    @classmethod
    def known(cls, value: T) -> Call[T]:
        """A call that has its result already."""
        made = cls()
        made.set_result(value)
        return made

    @classmethod
    def failed(cls, failure: ArkError) -> Call[T]:
        """A call that has failed already."""
        made = cls()
        made.set_exception(failure)
        return made

    def begin(self, who: str, call: Callable[[], T]) -> None:
        """Start the call in a new thread."""
        threading.Thread(target=self._run, args=(who, call), name=f"asking {who}", daemon=True).start()

    def _run(self, who: str, call: Callable[[], T]) -> None:
        try:
            self.set_result(call())
        except ArkError as failure:
            self.set_exception(failure)
        except Exception as error:  # noqa: BLE001 - in a thread; the search reports it
            what = f"{who}: {type(error).__name__}: {error}."
            self.set_exception(ServerFailure(what, "This is a bug."))

    def send(self) -> float:
        """Mark the request as sent; return the time. From now on, budgets run."""
        self.sent_at = time.monotonic()
        self.sent.set()
        return self.sent_at


class Asked(Generic[T]):
    """A call from the view of one waiter: its budget runs from now, or from the sending if later."""

    def __init__(self, who: str, call: Call[T]) -> None:
        self._who = who
        self._call = call
        self._since = time.monotonic()

    def within(self, budget: float, stop: Stop = NEVER) -> T:
        """Wait for the result, at most `budget` seconds.

        Raises `Slow` after that, the `ArkError` that the call failed with, or `Cancelled` when stopped.
        """
        while not self._call.sent.wait(LOOK):
            check(stop)
        end = max(self._since, self._call.sent_at) + budget
        while not wait([self._call], min(LOOK, max(0.0, end - time.monotonic()))).done:
            check(stop)
            if time.monotonic() >= end:
                raise Slow(f"{self._who} did not answer within {budget:g} s.", "The next search may have it.")
        return self._call.result()


def stoppable(who: str, call: Callable[[], T], stop: Stop, hang_up: Callable[[], object] = lambda: None) -> T:
    """Wait for the result of a call without a time limit.

    When stopped or interrupted, cancel it with `hang_up`, discard its result, and raise `Cancelled`.
    """
    made: Call[T] = Call()
    made.begin(who, call)
    try:
        while not wait([made], LOOK).done:
            check(stop)
    except BaseException:
        hang_up()
        raise
    return made.result()


class Line(Generic[T]):
    """A queue of calls to one server: no duplicates, few at a time, a pause after a slow failure.

    `start` does local preparation before a call; it does not count against budgets.
    """

    def __init__(self, who: str, start: Callable[[], object]) -> None:
        self._who = who
        self._start = start
        self._under_way: dict[str, Call[T]] = {}
        self._free = threading.BoundedSemaphore(AT_ONCE)
        self._failed: tuple[float, ServerFailure] | None = None

    def ask(self, name: str, call: Callable[[], T]) -> Asked[T]:
        """Start a call, or join the running one of that name. Fails at once while full or pausing."""
        return Asked(self._who, self._under_way.get(name) or self._begun(name, call))

    def _begun(self, name: str, call: Callable[[], T]) -> Call[T]:
        failed = self._failed
        if failed and time.monotonic() - failed[0] < REST:
            return Call.failed(failed[1])
        if not self._free.acquire(blocking=False):
            return Call.failed(Busy(f"{self._who} has not answered an earlier request yet."))
        made: Call[T] = Call()
        self._under_way[name] = made
        made.begin(self._who, lambda: self._called(made, name, call))
        return made

    def _called(self, made: Call[T], name: str, call: Callable[[], T]) -> T:
        started = time.monotonic()
        try:
            self._start()
            started = made.send()
            found = call()
        except ServerFailure as failure:
            now = time.monotonic()
            self._failed = (now, failure) if now - started > QUICK else None
            raise
        finally:
            self._under_way.pop(name, None)
            self._free.release()
        self._failed = None
        return found
