"""The nearest neighbors of each row: exact for small corpora, else within the nearest cells.

Exact up to 12,000 rows. Above, a row is compared with the rows of the eight cells nearest to its own, of √n
cells. The recall is measured on a sample and returned. If it is below 85 %, as in a corpus without themes, 24
cells are compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil, sqrt
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from ark_tui.analysis import blocks
from ark_tui.analysis.cells import Cells, cells
from ark_tui.domain.protocols import NEVER, OnProgress, Stop, ignore
from ark_tui.domain.work import Progress

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.domain.protocols import Matrix

    Rows: TypeAlias = NDArray[np.int64]
    Comparison: TypeAlias = tuple[slice, Sequence[int]]
    """Rows of the first of these groups, to be compared with all rows of the groups."""
    Found: TypeAlias = tuple[Rows, NDArray[np.int32], Matrix]
    """Rows, with the nearest rows and the cosines of each."""

K = 10
EXACT = 12_000  # rows up to which all pairs are compared
PROBES = 8, 24  # cells compared with each row: first attempt, and the second if the recall is too low
ENOUGH = 0.85  # recall
AT_ONCE = 512  # rows per matrix product
SAMPLE = 200  # rows whose exact neighbors are computed to measure the recall
STAGE = "neighbours"


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
    count, compare = len(vectors), partial(_compare, stop)
    if k == 0:
        return Neighbours(np.empty((count, 0), np.int32), np.empty((count, 0), np.float32))
    if count <= EXACT:
        return Neighbours(
            *_found(compare(vectors, k, [np.arange(count)], _parts(count, (0,))), count, k, progress)
        )
    own = cells(vectors, round(sqrt(count)), stop)
    groups, (few, many) = own.members(), PROBES
    row, cosine = _found(compare(vectors, k, groups, _probed(own, few)), count, k, progress)
    recall = _recall(vectors, row, stop)
    if recall < ENOUGH:
        row, cosine = _found(compare(vectors, k, groups, _probed(own, many)), count, k, progress)
        recall = _recall(vectors, row, stop)
    return Neighbours(row, cosine, exact=False, recall=recall)


def _found(
    work: Iterator[Found], count: int, k: int, progress: OnProgress
) -> tuple[NDArray[np.int32], Matrix]:
    row, cosine = np.full((count, k), -1, np.int32), np.zeros((count, k), np.float32)
    done = 0
    for own, best, values in work:
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


def _compare(
    stop: Stop, vectors: Matrix, k: int, groups: Sequence[Rows], work: Sequence[Comparison]
) -> Iterator[Found]:
    """Run comparisons in threads of this process."""

    def one(comparison: Comparison) -> Found:
        part, near = comparison
        own, among = groups[near[0]][part], np.concatenate([groups[number] for number in near])
        return _best(k, own, vectors[own], among, vectors if len(groups) == 1 else vectors[among])

    return blocks.each(one, work, stop)


def compared(k: int, part: slice, *groups: tuple[Rows, Matrix]) -> Found:
    """Run one comparison from the groups and their vectors alone, without shared state."""
    among, theirs = (np.concatenate(each) for each in zip(*groups, strict=True))
    own, ours = groups[0]
    return _best(k, own[part], ours[part], among, theirs)


def _best(k: int, own: Rows, ours: Matrix, among: Rows, theirs: Matrix) -> Found:
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
    return own, best, cosine


def _recall(vectors: Matrix, row: NDArray[np.int32], stop: Stop) -> float:
    """The share of true neighbors that were found, on evenly spaced rows."""
    sample = np.unique(np.linspace(0, len(vectors) - 1, SAMPLE).astype(np.int64))
    everything = np.arange(len(vectors))
    k = row.shape[1]
    hits = 0
    parts = [sample[at : at + 50] for at in range(0, len(sample), 50)]
    work = blocks.each(lambda part: _best(k, part, vectors[part], everything, vectors), parts, stop)
    for own, best, _ in work:
        hits += sum(len(np.intersect1d(a, b)) for a, b in zip(best, row[own], strict=True))
    return float(hits / (len(sample) * k))
