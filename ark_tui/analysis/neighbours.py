"""The nearest neighbors of each row: exact for small corpora, else within the nearest cells.

Exact up to 12,000 rows. Above, a row is compared with the rows of the eight cells nearest to its own, of √n
cells. The recall is measured on a sample and returned. If it is below 85 %, as in a corpus without themes, 24
cells are compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil, sqrt
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy import sparse

from ark_tui.analysis import blocks
from ark_tui.domain.protocols import NEVER, OnProgress, Stop, check, ignore
from ark_tui.domain.work import Progress

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.domain.protocols import Matrix

    Rows: TypeAlias = NDArray[np.int64]
    Comparison: TypeAlias = tuple[slice, Sequence[int]]
    """Rows of the first of these groups, to be compared with all rows of the groups."""

K = 10
EXACT = 12_000  # rows up to which all pairs are compared
PROBES = 8, 24  # cells compared with each row: first attempt, and the second if the recall is too low
ENOUGH = 0.85  # recall
AT_ONCE = 512  # rows per matrix product
SAMPLE = 200  # rows whose exact neighbors are computed to measure the recall
STAGE = "neighbours"

ROUNDS = 6  # of k-means; approximate cells are sufficient
PER_CELL = 64  # sample rows per cell for the centroids
OVERFULL = 4  # times the mean size, above which a cell is split
ROWS = 8192  # compared with the centroids at once


@dataclass(frozen=True, slots=True)
class Neighbours:
    """`(n, k)` each: the nearest rows, nearest first (−1 where there are fewer), and their cosines."""

    row: NDArray[np.int32]
    cosine: Matrix
    exact: bool = True
    recall: float | None = None

    @property
    def k(self) -> int:
        return int(self.row.shape[1])


def neighbours_wanted(rows: int) -> int:
    """Ten, but at most √n, so that not everything is a neighbor in a small corpus."""
    return max(0, min(K, ceil(sqrt(rows)), rows - 1))


def nearest(
    vectors: Matrix,
    k: int,
    stop: Stop = NEVER,
    progress: OnProgress = ignore,
) -> Neighbours:
    """The `k` nearest neighbors of each unit row, without itself."""
    count = len(vectors)
    if k == 0:
        return Neighbours(np.empty((count, 0), np.int32), np.empty((count, 0), np.float32))
    compare = partial(_compared, vectors, k, stop, progress)
    if count <= EXACT:
        return Neighbours(*compare([np.arange(count)], _parts(count, (0,))))
    own = cells(vectors, round(sqrt(count)), stop)
    groups, (few, many) = own.members(), PROBES
    row, cosine = compare(groups, _probed(own, few))
    recall = _recall(vectors, row, stop)
    if recall < ENOUGH:
        row, cosine = compare(groups, _probed(own, many))
        recall = _recall(vectors, row, stop)
    return Neighbours(row, cosine, exact=False, recall=recall)


def _compared(
    vectors: Matrix,
    k: int,
    stop: Stop,
    progress: OnProgress,
    groups: Sequence[Rows],
    work: Sequence[Comparison],
) -> tuple[NDArray[np.int32], Matrix]:
    """Run comparisons in threads."""

    def one(comparison: Comparison) -> tuple[Rows, NDArray[np.int32], Matrix]:
        part, near = comparison
        own = groups[near[0]][part]
        if len(groups) == 1:
            return own, *_best(k, own, vectors[own], groups[0], vectors)
        among = np.concatenate([groups[number] for number in near])
        return own, *_best(k, own, vectors[own], among, vectors[among])

    count, done = len(vectors), 0
    row, cosine = np.full((count, k), -1, np.int32), np.zeros((count, k), np.float32)
    for own, best, values in blocks.each(one, work, stop):
        row[own], cosine[own] = best, values
        done += len(own)
        progress(Progress(STAGE, done, count))
    return row, cosine


def _parts(count: int, near: Sequence[int]) -> list[Comparison]:
    """The comparisons of a group with `count` rows, in parts."""
    return [(slice(at, min(at + AT_ONCE, count)), near) for at in range(0, count, AT_ONCE)]


def _probed(found: Cells, probes: int) -> list[Comparison]:
    """The comparisons of each cell's rows, in parts, with the nearest cells, their own first."""
    close = found.middles @ found.middles.T
    np.fill_diagonal(close, np.inf)
    nearby = np.argsort(-close, axis=1, kind="stable")[:, :probes].tolist()
    sizes = np.bincount(found.of).tolist()
    return [part for size, near in zip(sizes, nearby, strict=True) for part in _parts(size, near)]


def _best(k: int, own: Rows, ours: Matrix, among: Rows, theirs: Matrix) -> tuple[NDArray[np.int32], Matrix]:
    """The nearest rows of each own row, and their cosines."""
    products = ours @ theirs.T
    products[own[:, None] == among] = -2.0
    keep = min(k, len(among) - 1)
    at = np.argpartition(-products, keep, axis=1)[:, :keep] if keep < len(among) - 1 else None
    at = np.argsort(-products, axis=1, kind="stable")[:, :keep] if at is None else at
    values = np.take_along_axis(products, at, axis=1)
    order = np.argsort(-values, axis=1, kind="stable")
    best = np.full((len(own), k), -1, np.int32)
    cosine = np.zeros((len(own), k), np.float32)
    best[:, :keep] = among[np.take_along_axis(at, order, axis=1)]
    cosine[:, :keep] = np.take_along_axis(values, order, axis=1).clip(-1, 1)
    return best, cosine


def _recall(vectors: Matrix, row: NDArray[np.int32], stop: Stop) -> float:
    """The share of true neighbors that were found, on evenly spaced rows."""
    sample = np.unique(np.linspace(0, len(vectors) - 1, SAMPLE).astype(np.int64))
    everything = np.arange(len(vectors))
    k = row.shape[1]
    hits = 0
    for at in range(0, len(sample), 50):
        check(stop)
        part = sample[at : at + 50]
        best, _ = _best(k, part, vectors[part], everything, vectors)
        hits += sum(len(np.intersect1d(a, b)) for a, b in zip(best, row[part], strict=True))
    return float(hits / (len(sample) * k))


# -- cells: √n clusters of similar vectors, by spherical k-means, deterministic for the same rows ------------


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
    for start in range(0, len(vectors), ROWS):
        check(stop)
        found[start : start + ROWS] = (vectors[start : start + ROWS] @ middles.T).argmax(axis=1)
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
