"""One vector of each row of the segments: about, by its signs, and exactly, for those rows that are worth it.

The embedded model's vectors are not kept. A text's is Σ wₜ vₜ / |Σ wₜ vₜ| over its tokens t, so that its
product with a query q is Σ wₜ ⟨vₜ, q⟩ / |Σ wₜ vₜ|: what is kept is the tokens, once for all weights, and that
length.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ark_tui.embedding import static
from ark_tui.index.vectors import serving, signs

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from ark_tui.domain.protocols import Matrix
    from ark_tui.index.protocols import Vector
    from ark_tui.index.vectors.serving import Pool, Tokens

    Some = NDArray[np.int64] | slice  # of rows, by their places

AT_ONCE = 2048  # rows multiplied at once


class Rows(ABC):
    """The vectors of the rows of all segments, one after the other."""

    def __init__(self, pools: Sequence[Pool], counts: Sequence[int]) -> None:
        self._pools = pools
        self._starts = np.cumsum([0, *counts])

    def __len__(self) -> int:
        return int(self._starts[-1])

    def __getitem__(self, some: slice | NDArray[np.int64]) -> Matrix:
        """The vectors of a slice of rows, or of these rows."""
        return self.vectors(np.arange(len(self))[some])

    def estimates(self, vector: Vector) -> Vector:
        """About what the product of each row with a vector is, and room for one more."""
        query, found = signs.asked(vector.tobytes()), np.zeros(len(self) + 1, np.float32)
        for pool, (start, end) in zip(self._pools, pairwise(self._starts.tolist()), strict=True):
            pool.codes.estimates(query, found[start:end])
        return found

    def closer(self, rows: NDArray[np.int64], vector: Vector) -> Vector:
        """What the products of some rows with a vector are, off by half as much."""
        query, found = signs.asked(vector.tobytes()), np.empty(len(rows), np.float32)
        for inside, segment, at in self._split(rows):
            found[inside] = self._pools[segment].codes.closer(query, at)
        return found

    def mean(self) -> Vector:
        """The mean of all vectors."""
        total = sum((pool.total for pool in self._pools), np.zeros(1))
        return (total / max(len(self), 1)).astype(np.float32)

    @abstractmethod
    def products(self, rows: NDArray[np.int64], vector: Vector) -> Vector:
        """The products of some rows with a vector."""

    def vectors(self, rows: NDArray[np.int64]) -> Matrix:
        """The vectors of some rows, `(len(rows), d)`."""
        return self.packed(rows)()

    def packed(self, rows: NDArray[np.int64]) -> Callable[[], Matrix]:
        """What makes the vectors of some rows, also in another process, to which it can be sent."""
        shape = len(rows), len(self._pools[0].total) if self._pools else 0
        return partial(
            _together,
            shape,
            [(inside, self._packed(segment, at)) for inside, segment, at in self._split(rows)],
        )

    def _split(self, rows: NDArray[np.int64]) -> Iterator[tuple[Some, int, NDArray[np.int64]]]:
        """For each segment that has some of the rows: which of them, the segment, their places in it."""
        if len(self._pools) == 1:
            yield slice(None), 0, rows
            return
        segment = np.searchsorted(self._starts, rows, side="right") - 1
        for one in np.flatnonzero(np.bincount(segment)).tolist():
            inside = np.flatnonzero(segment == one)
            yield inside, one, rows[inside] - self._starts[one]

    @abstractmethod
    def _packed(self, segment: int, at: NDArray[np.int64]) -> Callable[[], Matrix]: ...


def _together(shape: tuple[int, int], parts: Sequence[tuple[Some, Callable[[], Matrix]]]) -> Matrix:
    found = np.empty(shape, np.float32)
    for inside, vectors in parts:
        found[inside] = vectors()
    return found


class Pooled(Rows):
    """Vectors that are pooled from token ids by the weights of these, None for all the same."""

    def __init__(
        self,
        pools: Sequence[Pool],
        tokens: Sequence[Tokens],
        weights: Vector | None,
        vocabulary: static.Vocabulary,
    ) -> None:
        super().__init__(pools, [*map(len, tokens)])
        self._tokens = tokens
        self._weights = weights
        self._vocabulary = vocabulary

    def products(self, rows: NDArray[np.int64], vector: Vector) -> Vector:
        each = self._vocabulary.products(vector.tobytes())
        each = each if self._weights is None else each * self._weights
        found = np.empty(len(rows), np.float32)
        for low in range(0, len(rows), AT_ONCE):
            found[low : low + AT_ONCE] = self._summed(rows[low : low + AT_ONCE], each)
        return found

    def _summed(self, rows: NDArray[np.int64], each: Vector) -> Vector:
        """For each row the sum over its tokens of a number of each token, by the length that is kept."""
        ids: list[NDArray[np.uint16]] = []
        count, length = np.zeros(len(rows), np.int64), np.ones(len(rows), np.float32)
        for inside, segment, at in self._split(rows):
            tokens = self._tokens[segment]
            start, end = tokens.offsets[at], tokens.offsets[at + 1]
            broken = np.flatnonzero(np.diff(at) != 1)  # one row after the other is one slice
            first, last = np.append(0, broken + 1), np.append(broken, len(at) - 1)
            ids += map(tokens.flat.__getitem__, map(slice, start[first].tolist(), end[last].tolist()))
            count[inside], length[inside] = end - start, self._pools[segment].length[at]
        numbers = np.append(each.take(np.concatenate(ids), mode="clip"), np.float32(0))
        sums: Vector = np.add.reduceat(numbers, np.cumsum(count) - count)
        sums[count == 0] = 0
        return sums / length

    def _packed(self, segment: int, at: NDArray[np.int64]) -> Callable[[], Matrix]:
        if len(at) > static.WIDE_FROM:
            return partial(static.pool_flat, *self._tokens[segment].of(at), self._weights)
        return partial(static.pool, [self._tokens[segment][row] for row in at.tolist()], self._weights)


class Kept(Rows):
    """Vectors that are kept, as float16, or as whole parts of `1 / scale`."""

    def __init__(
        self,
        pools: Sequence[Pool],
        segments: Sequence[NDArray[Any]],
        scale: int = 1,
        digits: int | None = None,
    ) -> None:
        super().__init__(pools, [*map(len, segments)])
        self._segments = segments
        self._scale = np.float32(scale)
        self._digits = digits  # of a product, where those behind are what rounding leaves

    def products(self, rows: NDArray[np.int64], vector: Vector) -> Vector:
        found = np.empty(len(rows), np.float32)
        for low in range(0, len(rows), AT_ONCE):
            found[low : low + AT_ONCE] = self.vectors(rows[low : low + AT_ONCE]) @ vector
        return found if self._digits is None else found.round(self._digits)

    def _packed(self, segment: int, at: NDArray[np.int64]) -> Callable[[], Matrix]:
        return partial(_wide, self._segments[segment][at], self._scale)


def _wide(kept: NDArray[Any], scale: np.float32) -> Matrix:
    found: Matrix = kept.astype(np.float32) / scale
    return found


def own(folders: Sequence[Path], vocabulary: static.Vocabulary | None = None) -> Rows:
    """The model's own vectors of the texts of segments. `vocabulary`: at least all tokens of these."""
    pools = [serving.Pool(folder, serving.OWN) for folder in folders]
    if all((folder / "tokens.npy").exists() for folder in folders):
        tokens = [serving.Tokens.read(folder) for folder in folders]
        return Pooled(pools, tokens, None, vocabulary or static.Vocabulary())
    return Kept(pools, [serving.read_array(folder / f"{serving.OWN}.npy") for folder in folders])
