"""The nearest rows of each row: all against all while that is quick, else within the nearest cells.

Exact up to 8,000 rows. Above, a row is compared with the rows of the eight cells nearest to its own, √n
cells in all; how many of the true neighbours that finds is measured on a sample and told.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt
from typing import TYPE_CHECKING

from ark_tui.analysis import threads
from ark_tui.analysis.cells import cells
from ark_tui.domain.protocols import NEVER, OnProgress, Stop, ignore
from ark_tui.domain.work import Progress

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.domain.protocols import Matrix

K = 10
EXACT = 8_000  # rows up to which all are compared with all
PROBES = 8  # cells that a row is compared with
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
    import numpy as np

    count = len(vectors)
    row, cosine = np.full((count, k), -1, np.int32), np.zeros((count, k), np.float32)
    if k == 0:
        return Neighbours(row, cosine)
    if count <= EXACT:
        everything = np.arange(count)
        work = [(everything[at : at + AT_ONCE], everything) for at in range(0, count, AT_ONCE)]
    else:
        work = _probed(vectors, stop)
    done = 0
    for own, best, values in threads.each(lambda w: _best(vectors, *w, k), work, stop):
        row[own], cosine[own] = best, values
        done += len(own)
        progress(Progress(STAGE, done, count))
    if count <= EXACT:
        return Neighbours(row, cosine)
    return Neighbours(row, cosine, exact=False, recall=_recall(vectors, row, stop))


def _probed(vectors: Matrix, stop: Stop) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Rows, some at a time, with the rows that they are compared with."""
    import numpy as np

    found = cells(vectors, round(sqrt(len(vectors))), stop)
    members = found.members()
    close = found.middles @ found.middles.T
    np.fill_diagonal(close, np.inf)
    probes = np.argsort(-close, axis=1, kind="stable")[:, :PROBES]
    return [
        (own[at : at + AT_ONCE], np.concatenate([members[cell] for cell in probes[number]]))
        for number, own in enumerate(members)
        for at in range(0, len(own), AT_ONCE)
    ]


def _best(
    vectors: Matrix, own: NDArray[np.int64], among: NDArray[np.int64], k: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], Matrix]:
    import numpy as np

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
    import numpy as np

    sample = np.unique(np.linspace(0, len(vectors) - 1, SAMPLE).astype(np.int64))
    everything = np.arange(len(vectors))
    k = row.shape[1]
    hits = 0
    parts = [sample[at : at + 50] for at in range(0, len(sample), 50)]
    for own, best, _ in threads.each(lambda part: _best(vectors, part, everything, k), parts, stop):
        hits += sum(len(np.intersect1d(a, b)) for a, b in zip(best, row[own], strict=True))
    return float(hits / (len(sample) * k))
