"""Work on a few threads: numpy and scipy let go of the interpreter while they multiply."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from ark_tui.domain.protocols import Stop, check

T = TypeVar("T")
R = TypeVar("R")

MOST = 4  # threads; more wait for each other's memory


def each(work: Callable[[T], R], items: Iterable[T], stop: Stop) -> Iterator[R]:
    """What `work` makes of each item, in their order; raises `Cancelled` between two of them."""
    waiting: Sequence[T] = list(items)

    def step(item: T) -> R:
        check(stop)
        return work(item)

    with ThreadPoolExecutor(max_workers=min(os.cpu_count() or 1, MOST)) as pool:
        yield from pool.map(step, waiting)
