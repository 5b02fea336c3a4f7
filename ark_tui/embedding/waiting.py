"""Calls to servers, each in a thread of its own, whose answers are waited for within a budget.

A late answer is kept for the next search. The threads are daemons: a server that never answers does not keep
a process from ending.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar, cast

from ark_tui.domain.errors import ArkError
from ark_tui.domain.protocols import NEVER, Stop, check
from ark_tui.embedding.retry import Busy, ServerFailure, Slow

T = TypeVar("T")

AT_ONCE = 2  # calls under way to one server; while they hang, further ones are not added to them
REST = 2.0  # seconds after a failure that took long, for which it is not asked again
LOOK = 0.05  # seconds between two looks whether the answer is still wanted
QUICK = 0.2  # seconds; a server that refuses sooner may be asked every time


class Call(Generic[T]):
    """A call and, once it is done, what came of it. `sent_at`: when the server was turned to."""

    def __init__(self, known: T | None = None, failure: ArkError | None = None) -> None:
        self.value = known
        self.failure = failure
        self.sent_at = 0.0
        self.sent = threading.Event()
        self.done = threading.Event()
        if known is not None or failure is not None:
            self._end()

    def begin(self, who: str, call: Callable[[], T]) -> None:
        """Make it, in a thread of its own."""
        threading.Thread(target=self._run, args=(who, call), name=f"asking {who}", daemon=True).start()

    def _run(self, who: str, call: Callable[[], T]) -> None:
        try:
            self.value = call()
        except ArkError as failure:
            self.failure = failure
        except Exception as error:  # noqa: BLE001 - a thread of its own; the search says what it was
            self.failure = ServerFailure(f"{who}: {type(error).__name__}: {error}.", "This is a bug.")
        finally:
            self._end()

    def outcome(self) -> T:
        """The answer, of a call that is done. Raises the `ArkError` that it failed with."""
        if self.failure is not None:
            raise self.failure
        return cast("T", self.value)

    def send(self) -> float:
        """Our own start is over: what is waited for from now on is the server."""
        self.sent_at = time.monotonic()
        self.sent.set()
        return self.sent_at

    def _end(self) -> None:
        self.done.set()
        self.sent.set()


class Asked(Generic[T]):
    """A call as one of those who wait for it sees it: the budget runs from now on, or from its sending."""

    def __init__(self, who: str, call: Call[T]) -> None:
        self._who = who
        self._call = call
        self._since = time.monotonic()

    def within(self, budget: float, stop: Stop = NEVER) -> T:
        """The answer, `budget` seconds after the server was asked for it at the latest.

        Raises `Slow` when it is not there by then, or the `ArkError` that the call failed with, or
        `Cancelled` when stopped.
        """
        while not self._call.sent.wait(LOOK):
            check(stop)
        end = max(self._since, self._call.sent_at) + budget
        while not self._call.done.wait(min(LOOK, max(0.0, end - time.monotonic()))):
            check(stop)
            if time.monotonic() < end:
                continue
            raise Slow(f"{self._who} did not answer within {budget:g} s.", "The next search may have it.")
        return self._call.outcome()


def stoppable(who: str, call: Callable[[], T], stop: Stop, hang_up: Callable[[], object] = lambda: None) -> T:
    """The answer to a call, however long it takes.

    Stopped or interrupted, `hang_up` ends it, its answer is dropped, and `Cancelled` is raised.
    """
    made: Call[T] = Call()
    made.begin(who, call)
    try:
        while not made.done.wait(LOOK):
            check(stop)
    except BaseException:
        hang_up()
        raise
    return made.outcome()


class Line(Generic[T]):
    """The way to one server: each thing asked once, a few calls at a time, a rest after a failure.

    `start` is what has to be done here before the server can be asked; no budget runs meanwhile.
    """

    def __init__(self, who: str, start: Callable[[], object]) -> None:
        self._who = who
        self._start = start
        self._under_way: dict[str, Call[T]] = {}
        self._free = threading.BoundedSemaphore(AT_ONCE)
        self._failed: tuple[float, ServerFailure] | None = None

    def ask(self, name: str, call: Callable[[], T]) -> Asked[T]:
        """Begin a call, or join the one of that name; it fails at once while the line is full or rests."""
        return Asked(self._who, self._under_way.get(name) or self._begun(name, call))

    def _begun(self, name: str, call: Callable[[], T]) -> Call[T]:
        failed = self._failed
        if failed and time.monotonic() - failed[0] < REST:
            return Call(failure=failed[1])
        if not self._free.acquire(blocking=False):
            return Call(failure=Busy(f"{self._who} has not answered yet what was asked before."))
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
