"""Cells: √n clusters of similar vectors by spherical k-means, deterministic for the same rows.

They limit the search for neighbors, and their centroids are the landmarks of the map.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from ark_tui.domain.protocols import Stop, check

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.domain.protocols import Matrix

ROUNDS = 6  # of k-means; approximate cells are sufficient
PER_CELL = 64  # sample rows per cell for the centroids
OVERFULL = 4  # times the mean size, above which a cell is split
AT_ONCE = 8192  # rows


@dataclass(frozen=True, slots=True)
class Cells:
    """`middles`: centroids `(c, d)`, unit rows. `of`: the cell of each row."""

    middles: Matrix
    of: NDArray[np.int32]

    def members(self) -> list[NDArray[np.int64]]:
        """The rows of each cell, ascending."""
        order = np.argsort(self.of, kind="stable")
        bounds = np.searchsorted(self.of[order], np.arange(1, len(self.middles)))
        return np.split(order, bounds)


def cells(vectors: Matrix, count: int, stop: Stop) -> Cells:
    """Divide unit rows into about `count` cells, none of them much larger than the others."""
    middles = landmarks(vectors, count, stop)
    cut = _sliced(vectors, _closest(vectors, middles, stop), OVERFULL * len(vectors) // len(middles) + 1)
    of = np.unique(cut, return_inverse=True)[1].astype(np.int32)
    return Cells(_middles(vectors, of, np.zeros((int(of.max()) + 1, vectors.shape[1]), np.float32)), of)


def landmarks(vectors: Matrix, count: int, stop: Stop) -> Matrix:
    """The centroids of `count` cells (at most one per row), from a sample."""
    random = np.random.default_rng(0)
    count = max(1, min(count, len(vectors)))
    sample = vectors[np.sort(random.choice(len(vectors), min(len(vectors), count * PER_CELL), replace=False))]
    middles = sample[np.sort(random.choice(len(sample), count, replace=False))].copy()
    for _ in range(ROUNDS):
        check(stop)
        middles = _middles(sample, _closest(sample, middles, stop), middles)
    return middles


def _closest(vectors: Matrix, middles: Matrix, stop: Stop) -> NDArray[np.int32]:
    found = np.empty(len(vectors), np.int32)
    for start in range(0, len(vectors), AT_ONCE):
        check(stop)
        found[start : start + AT_ONCE] = (vectors[start : start + AT_ONCE] @ middles.T).argmax(axis=1)
    return found


def _middles(vectors: Matrix, of: NDArray[np.int32], before: Matrix) -> Matrix:
    """The centroids as unit vectors; an empty cell keeps its former centroid."""
    shape = (len(before), len(vectors))
    belongs = sparse.csr_array((np.ones(len(of), np.float32), (of, np.arange(len(of)))), shape=shape)
    sums = np.asarray(belongs @ vectors)
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    return np.where(lengths > 1e-6, sums / np.maximum(lengths, 1e-6), before).astype(np.float32)


def _sliced(vectors: Matrix, of: NDArray[np.int32], most: int) -> NDArray[np.int64]:
    """Split overfull cells along their first principal direction; equal rows are split arbitrarily."""
    found = of.astype(np.int64)
    sizes = np.bincount(of)
    fresh = len(sizes)
    for cell in np.flatnonzero(sizes > most).tolist():
        rows = np.flatnonzero(of == cell)
        own = vectors[rows]
        own = own - own.mean(axis=0)
        direction = np.linalg.eigh(own.T @ own)[1][:, -1]
        order = rows[np.argsort(own @ direction, kind="stable")]
        slices = np.array_split(order, -(-len(rows) // most))
        for number, part in enumerate(slices[1:]):
            found[part] = fresh + number
        fresh += len(slices) - 1
    return found
