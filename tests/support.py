"""A clock that stands still, a process that has many files open, and which chunks are looked up."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ark_tui.domain.memory import Item, Scope
    from ark_tui.engine.memory import Memory


class SteadyClock:
    """A clock that shows one moment until `pass_by` moves it."""

    def __init__(self, moment: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        self.moment = moment

    def now(self) -> datetime:
        return self.moment

    def pass_by(self, **time: float) -> None:
        self.moment += timedelta(**time)


@contextmanager
def many_open(number: int = 1_100) -> Iterator[None]:
    """So many files are open that what is opened now has a number above those of `select.select`."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(before[0], number + 500), before[1]))
    first = os.open(os.devnull, os.O_RDONLY)
    others = [os.dup(first) for _ in range(number)]
    try:
        yield
    finally:
        for one in (first, *others):
            os.close(one)
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def until(condition: Callable[[], object], seconds: float = 30.0) -> None:
    """Wait for something to be so."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come to be"
        time.sleep(0.01)


def add_item(memory: Memory, text: str, scope: Scope, **about: Any) -> Item:
    """Add a memory that is no message, as a review or a promotion does."""
    with memory._parts.store.write() as lease:
        return memory.items.added(lease, text, scope, **about)
