"""The nearest rows of each row: all against all while that is quick, else within the nearest cells.

Exact up to 12,000 rows. Above, a row is compared with the rows of the eight cells nearest to its own, √n
cells in all; how many of the true neighbours that finds is measured on a sample and told. Where it is less
than 85 %, as in a corpus without themes, 24 cells are looked at.
"""

from __future__ import annotations

from math import ceil, sqrt
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from ark_tui.analysis import threads
from ark_tui.analysis.cells import Cells, cells
from ark_tui.domain.dataclass import dataclass
from ark_tui.domain.protocols import NEVER, OnProgress, Stop, ignore
from ark_tui.domain.work import Progress

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.domain.protocols import Matrix

    Comparison: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int64]]

K = 10
EXACT = 12_000  # rows up to which all are compared with all
PROBES = 8, 24  # cells that a row is compared with: the second, where the first finds too little
ENOUGH = 0.85  # recall
AT_ONCE = 512  # rows of one product
SAMPLE = 200  # rows whose neighbours are found exactly, to tell the recall
STAGE = "neighbours"


@dataclass(frozen=True, slots=True)
class Neighbours:
    """`(n, k)` each: the nearest rows, nearest first, −1 where there are no more, and their cosines."""

    row: NDArray[np.int32]
    cosine: Matrix
    exact: bool = True
    recall: float | None = None

    @property
    def k(self) -> int:
        return int(self.row.shape[1])


def neighbours_wanted(rows: int) -> int:
    """Ten, but no more than √n: in a corpus of a dozen everything would be near to everything."""
    return max(0, min(K, ceil(sqrt(rows)), rows - 1))


def nearest(vectors: Matrix, k: int, stop: Stop = NEVER, progress: OnProgress = ignore) -> Neighbours:
    """The `k` nearest of each unit row, itself left out."""
    count = len(vectors)
    if k == 0:
        return Neighbours(np.empty((count, 0), np.int32), np.empty((count, 0), np.float32))
    if count <= EXACT:
        everything = np.arange(count)
        work = [(everything[at : at + AT_ONCE], everything) for at in range(0, count, AT_ONCE)]
        return Neighbours(*_found(vectors, k, work, stop, progress))
    own = cells(vectors, round(sqrt(count)), stop)
    few, many = PROBES
    found = _within(vectors, k, own, few, stop, progress)
    if found.recall is not None and found.recall < ENOUGH:
        return _within(vectors, k, own, many, stop, progress)
    return found


def _within(vectors: Matrix, k: int, own: Cells, probes: int, stop: Stop, progress: OnProgress) -> Neighbours:
    row, cosine = _found(vectors, k, _probed(own, probes), stop, progress)
    return Neighbours(row, cosine, exact=False, recall=_recall(vectors, row, stop))


def _found(
    vectors: Matrix, k: int, work: list[Comparison], stop: Stop, progress: OnProgress
) -> tuple[NDArray[np.int32], Matrix]:
    count = len(vectors)
    row, cosine = np.full((count, k), -1, np.int32), np.zeros((count, k), np.float32)
    done = 0
    for own, best, values in threads.each(lambda w: _best(vectors, *w, k), work, stop):
        row[own], cosine[own] = best, values
        done += len(own)
        progress(Progress(STAGE, done, count))
    return row, cosine


def _probed(found: Cells, probes: int) -> list[Comparison]:
    """Rows, some at a time, with the rows that they are compared with."""
    members = found.members()
    close = found.middles @ found.middles.T
    np.fill_diagonal(close, np.inf)
    nearby = np.argsort(-close, axis=1, kind="stable")[:, :probes]
    return [
        (own[at : at + AT_ONCE], np.concatenate([members[cell] for cell in nearby[number]]))
        for number, own in enumerate(members)
        for at in range(0, len(own), AT_ONCE)
    ]


def _best(
    vectors: Matrix, own: NDArray[np.int64], among: NDArray[np.int64], k: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], Matrix]:
    whole = len(among) == len(vectors)
    products = vectors[own] @ (vectors if whole else vectors[among]).T
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
    """The share of true neighbours among those that were found, on rows evenly spread."""
    sample = np.unique(np.linspace(0, len(vectors) - 1, SAMPLE).astype(np.int64))
    everything = np.arange(len(vectors))
    k = row.shape[1]
    hits = 0
    parts = [sample[at : at + 50] for at in range(0, len(sample), 50)]
    for own, best, _ in threads.each(lambda part: _best(vectors, part, everything, k), parts, stop):
        hits += sum(len(np.intersect1d(a, b)) for a, b in zip(best, row[own], strict=True))
    return float(hits / (len(sample) * k))
