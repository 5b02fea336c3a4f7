"""Scheduling of transactions within the process: writers run one at a time, in order; readers never wait.

A writer that needs exclusive access to the files (to replace or close them) waits for all readers.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ark_tui.domain.errors import StoreLocked

LONGEST = 60.0  # seconds that a thread waits for the others of its process


class Sessions:
    """The running transactions of one store. Thread-safe."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._writers: deque[int] = deque()  # thread ids; the first one is writing
        self._readers: dict[int, int] = {}  # thread id: number of its transactions
        self._alone: int | None = None  # the thread that has, or waits for, exclusive access

    @contextmanager
    def reading(self) -> Iterator[None]:
        """A read transaction; starts at once unless another thread has exclusive access."""
        me = threading.get_ident()
        with self._changed:
            if self._alone not in (None, me) and me not in self._readers:
                self._wait(lambda: self._alone is None)
            self._readers[me] = self._readers.get(me, 0) + 1
        try:
            yield
        finally:
            with self._changed:
                self._readers[me] -= 1
                if not self._readers[me]:
                    del self._readers[me]
                self._changed.notify_all()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A write transaction: one at a time, in order of arrival. Raises `StoreLocked`."""
        me = threading.get_ident()
        if me in self._writers:
            raise RuntimeError("a transaction that writes was begun within another")
        with self._changed:
            self._writers.append(me)
            try:
                self._wait(lambda: self._writers[0] == me)
            except StoreLocked:
                self._writers.remove(me)
                raise
        try:
            yield
        finally:
            with self._changed:
                self._writers.popleft()
                self._changed.notify_all()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Exclusive access: no other thread reads or writes. Raises `StoreLocked`."""
        with self.writing(), self.without_readers():
            yield

    @contextmanager
    def without_readers(self) -> Iterator[None]:
        """Wait until no other thread reads; for the writing thread."""
        me = threading.get_ident()
        with self._changed:
            self._alone = me
            try:
                self._wait(lambda: not self._readers.keys() - {me})
            except StoreLocked:
                self._alone = None
                self._changed.notify_all()
                raise
        try:
            yield
        finally:
            with self._changed:
                self._alone = None
                self._changed.notify_all()

    def readers(self) -> int:
        """The number of threads in a transaction."""
        return len(self._readers)

    def _wait(self, ready: Callable[[], bool]) -> None:
        if not self._changed.wait_for(ready, LONGEST):
            raise StoreLocked(
                "The store is busy in this process.", "Wait for the running work to end and try again."
            )
