"""Rows in blocks that fit into memory: what is asked of all of them is asked of each."""

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
    """The vectors of rows, as often as they are asked for."""

    def __call__(self, work: Callable[[int, Matrix], R]) -> Iterator[R]:
        """What `work` makes of the place of a block's first row, and of its vectors; block by block."""
        ...


def blocks(
    vectors: Callable[[NDArray[np.int64]], Matrix], rows: NDArray[np.int64], size: int, stop: Stop = NEVER
) -> Blocks:
    """Blocks of at most `size` rows, one after the other in this thread."""

    def each(work: Callable[[int, Matrix], R]) -> Iterator[R]:
        for start in range(0, len(rows), size):
            check(stop)
            yield work(start, vectors(rows[start : start + size]))

    return each


T = TypeVar("T")
Result = TypeVar("Result")

MOST = 4  # threads; more wait for each other's memory


def each(work: Callable[[T], Result], items: Iterable[T], stop: Stop) -> Iterator[Result]:
    """What `work` makes of each item, in their order; raises `Cancelled` between two of them."""
    waiting: Sequence[T] = list(items)

    def step(item: T) -> Result:
        check(stop)
        return work(item)

    with ThreadPoolExecutor(max_workers=min(os.cpu_count() or 1, MOST)) as pool:
        yield from pool.map(step, waiting)
