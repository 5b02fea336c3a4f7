"""Blocks of rows that fit into memory: a function is applied to one block after another."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np
from scipy import sparse

from ark_tui.domain.protocols import NEVER, Stop, check

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.domain.protocols import Matrix

T = TypeVar("T")
R = TypeVar("R")

MOST = 4  # threads; more are limited by memory bandwidth


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


def each(work: Callable[[T], R], items: Iterable[T], stop: Stop) -> Iterator[R]:
    """The results of `work` for all items, in order; raises `Cancelled` between two items."""

    def step(item: T) -> R:
        check(stop)
        return work(item)

    with ThreadPoolExecutor(max_workers=min(os.cpu_count() or 1, MOST)) as pool:
        yield from pool.map(step, items)


def means(chunks: Blocks, document: NDArray[np.int64], count: int) -> Matrix:
    """The normalized mean of each document's chunk vectors, `(count, d)`; zeros without a chunk.

    `document`: the document index of each chunk, 0…count−1, ascending.
    """
    sums: Matrix | None = None
    for first, part in chunks(partial(_sums, document)):
        if sums is None:
            sums = np.zeros((count, part.shape[1]), np.float32)
        sums[first : first + len(part)] += part
    if sums is None:
        return np.zeros((count, 1), np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", sums, sums))[:, None]
    np.divide(sums, lengths, out=sums, where=lengths > 0)
    return sums


def _sums(document: NDArray[np.int64], start: int, vectors: Matrix) -> tuple[int, Matrix]:
    """The first document of a block of chunks, and the sums for it and the following ones."""
    own = document[start : start + len(vectors)]
    own, first = own - own[0], int(own[0])
    belongs = sparse.csr_array(
        (np.ones(len(own), np.float32), (own, np.arange(len(own)))), shape=(int(own[-1]) + 1, len(own))
    )
    return first, belongs @ vectors
