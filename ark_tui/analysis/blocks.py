"""Blocks of rows that fit into memory: a function is applied to one block after another."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Protocol, TypeVar

from ark_tui.domain.protocols import NEVER, Stop, check

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.domain.protocols import Matrix

R = TypeVar("R")


class Blocks(Protocol):
    """Repeatable access to the vectors of rows."""

    def __call__(self, work: Callable[[int, Matrix], R]) -> Iterator[R]:
        """Apply `work` to the index of a block's first row and its vectors, and yield the results."""
        ...


def blocks(
    vectors: Callable[[NDArray[np.int64]], Matrix], rows: NDArray[np.int64], size: int, stop: Stop = NEVER
) -> Blocks:
    """Blocks of at most `size` rows, processed in order in this thread."""

    def each(work: Callable[[int, Matrix], R]) -> Iterator[R]:
        for start in range(0, len(rows), size):
            check(stop)
            yield work(start, vectors(rows[start : start + size]))

    return each


T = TypeVar("T")
Result = TypeVar("Result")

MOST = 4  # threads; more are limited by memory bandwidth


def each(work: Callable[[T], Result], items: Iterable[T], stop: Stop) -> Iterator[Result]:
    """The results of `work` for all items, in order; raises `Cancelled` between two items."""
    waiting: Sequence[T] = list(items)

    def step(item: T) -> Result:
        check(stop)
        return work(item)

    with ThreadPoolExecutor(max_workers=min(os.cpu_count() or 1, MOST)) as pool:
        yield from pool.map(step, waiting)
