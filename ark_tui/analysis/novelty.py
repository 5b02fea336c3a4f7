"""Rows that stand apart from what the spectrum says of all.

A standardised row is laid along the eigenvectors, and each coordinate p counts p² / (λ + e), with e the edge
of the noise: what varies much anyway counts little, and below the edge all directions count alike, since
there the eigenvalues are noise (the cleaning of Laloux et al. 1999, as a ridge). It is Mahalanobis' distance
with a correlation matrix that can be trusted. A row is novel where the logarithm of that lies three robust
deviations above the median. Where no eigenvalue is outside the noise there is nothing to be novel against.

Chosen among a dozen scores on texts of one collection planted in another: benchmarks/results.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ark_tui.domain.protocols import NEVER, Stop, check

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.analysis.spectrum import Blocks, Eigen

UNUSUAL = 2.5  # robust deviations from the median
TO_SIGMA = 1.4826  # times the median absolute deviation is a standard deviation
HALF = 0.5  # of a row's coordinate: others that reach it share its direction


@dataclass(frozen=True, slots=True)
class Apart:
    """Per row. `inside`: the part of the score that lies outside the noise, on shared directions.

    `direction`: the eigenvector, from 0, that says most of that; `part`: how much of the score it is;
    `coordinate`: the row's place along it, in standard deviations.
    """

    score: NDArray[np.float64]
    inside: NDArray[np.float64]
    direction: NDArray[np.int64]
    part: NDArray[np.float64]
    coordinate: NDArray[np.float64]
    limit: float  # of the score; infinite where nothing can be novel

    def order(self) -> NDArray[np.int64]:
        """The rows, farthest apart first; none where nothing can be novel."""
        order = np.argsort(-self.score, kind="stable")
        return order if np.isfinite(self.limit) else order[:0]

    def novel(self) -> NDArray[np.int64]:
        """The novel ones among them."""
        order = self.order()
        return order[self.score[order] > self.limit]

    def along_direction(self, row: int) -> bool:
        """Whether a row is apart by where it lies on the shared directions, rather than beyond them all."""
        usual = float(self.inside.mean())
        return bool(self.inside[row] > usual)


def apart(eigen: Eigen, blocks: Blocks, stop: Stop = NEVER) -> Apart:
    """How far each row stands apart."""
    kept = eigen.outside
    weight = 1 / (eigen.values + eigen.edge)
    found: list[tuple[NDArray[np.float64], ...]] = []
    for block in blocks():
        check(stop)
        places = eigen.along(block)
        counts = places**2 * weight
        score = counts.sum(axis=1)
        outside = counts[:, : max(kept, 1)]
        best = outside.argmax(axis=1)
        at = np.arange(len(block))
        total = np.maximum(score, 1e-12)
        inside = outside.sum(axis=1) / total if kept else np.zeros(len(block))
        spread = np.sqrt(np.maximum(eigen.values[best], 1e-12))
        found.append((score, inside, best, outside[at, best] / total, places[at, best] / spread))
    score, inside, direction, part, coordinate = (np.concatenate(parts) for parts in zip(*found, strict=True))
    limit = _limit(score) if kept else float("inf")
    return Apart(score, inside, direction.astype(np.int64), part, coordinate, limit)


def sharing(found: Apart, eigen: Eigen, rows: NDArray[np.int64], blocks: Blocks) -> NDArray[np.int64]:
    """How many rows lie at least half as far along the direction of each of some rows, on its side.

    The row itself is one of them.
    """
    directions, least = found.direction[rows], HALF * found.coordinate[rows]
    side = np.sign(least)
    spread = np.sqrt(np.maximum(eigen.values[directions], 1e-12))
    count = np.zeros(len(rows), np.int64)
    for block in blocks():
        along = eigen.along(block, directions) / spread
        count += (along * side >= least * side).sum(axis=0)
    return count


def _limit(score: NDArray[np.float64]) -> float:
    logs = np.log(np.maximum(score, 1e-9))
    middle = float(np.median(logs))
    spread = TO_SIGMA * float(np.median(np.abs(logs - middle)))
    return float(np.exp(middle + UNUSUAL * max(spread, 1e-6)))
