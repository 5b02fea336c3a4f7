"""Novelty: rows that are far from the distribution of all rows, or form a direction of few rows.

**Spectrum.** The columns are standardized, so noise of n rows in d columns has its eigenvalues below
(1+√(d/n))² (Marchenko and Pastur 1967). The largest one fluctuates around that edge by the Tracy-Widom law,
with the centering and scaling of Johnstone (2001). Eigenvalues above the 99.9 % point count as structure.

**Distance.** A standardized row is projected on the eigenvectors, and each coordinate p counts p² / (λ + e),
with e the edge of the noise. So directions of high variance count little, and below the edge all directions
count alike, since their eigenvalues are noise (the cleaning of Laloux et al. 1999, as a ridge). This is the
Mahalanobis distance with a regularized correlation matrix. A row is novel if the logarithm of its score is
2.5 robust deviations above the median. If the logarithms spread no wider than those of noise, the limit is
the quantile that the largest of as many noise rows does not reach.

**Direction.** Rows that share a unique property form a direction of their own and are close to it, so their
distance is normal. They are novel if the direction exceeds the noise only because of them: they are few,
farther out on one side than noise, and without them the variance along the direction is noise.

If no eigenvalue is outside the noise, no row is novel.

Chosen among a dozen scores on texts of one collection planted in another: benchmarks/results.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from ark_tui.analysis.blocks import Blocks
    from ark_tui.domain.protocols import Matrix

    Floats = NDArray[np.float64]

TRACY_WIDOM = 3.27  # 99.9 % point of the law for real matrices
STILL = 1e-6  # standard deviation below which a column is constant
FEWEST = 8  # rows needed for a meaningful spectrum
UNUSUAL = 2.5  # robust deviations from the median
TO_SIGMA = 1.4826  # times the median absolute deviation is a standard deviation
HALF = 0.5  # share of a row's coordinate above which others share its direction
BY_CHANCE = 0.01  # expected number of noise rows above the limit
ASTRAY = 0.05  # expected number of noise rows far out on a side of a direction
LEAST = 3  # least number of rows that form a direction
FEW = 0.05  # share of the rows; more form a theme
SAMPLE = 16_384  # rows from which medians are computed


@dataclass(frozen=True, slots=True)
class Eigen:
    """The spectrum, with the values to project rows. Eigenvectors are columns, largest value first."""

    values: Floats  # (d,)
    vectors: Floats  # (d, d)
    mean: Floats  # (d,) of the columns that are not constant
    deviation: Floats
    varies: NDArray[np.bool_]  # over all columns
    rows: int
    edge: float
    lower_edge: float
    threshold: float

    @property
    def weight(self) -> Floats:
        """The weight of a squared coordinate: low for directions of high variance."""
        found: Floats = 1 / (self.values + self.edge)
        return found

    @property
    def outside(self) -> int:
        """The number of eigenvalues above the noise."""
        return int((self.values > self.threshold).sum())

    def along(self, rows: Matrix, directions: NDArray[np.int64] | None = None) -> Floats:
        """The standardized rows projected on all or some eigenvectors, `(n, d)`."""
        vectors = self.vectors if directions is None else self.vectors[:, directions]
        scaled = vectors / self.deviation[:, None]
        varying = rows if self.varies.all() else rows[:, self.varies]
        found = varying @ scaled.astype(np.float32)
        return np.asarray(found - self.mean @ scaled)


def spectrum(blocks: Blocks) -> Eigen | None:
    """The spectrum of the correlation matrix; None if there are too few rows or all columns are constant."""
    count, total, products = 0, np.zeros(1), np.zeros((1, 1))
    for rows, sums, squares in blocks(_moments):
        count, total, products = count + rows, total + sums, products + squares
    if count < FEWEST:
        return None
    mean = total / count
    covariance = products / count - np.outer(mean, mean)
    deviation = np.sqrt(np.diag(covariance).clip(min=0))
    varies = deviation > STILL
    if not varies.any():
        return None
    mean, deviation = mean[varies], deviation[varies]
    correlation = covariance[np.ix_(varies, varies)] / np.outer(deviation, deviation)
    values, vectors = np.linalg.eigh(correlation)
    vectors = vectors[:, ::-1]
    vectors = vectors * np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(len(values))])
    lower, edge, threshold = noise(count, len(values))
    return Eigen(
        values[::-1].clip(min=0.0), vectors, mean, deviation, varies, count, edge, lower, threshold
    )  # fmt: skip


def _moments(_: int, block: Matrix) -> tuple[int, Floats, Matrix]:
    return len(block), block.sum(axis=0, dtype=np.float64), block.T @ block


def noise(rows: int, columns: int) -> tuple[float, float, float]:
    """The lower and upper edge of noise eigenvalues, and the 99.9 % point of the largest."""
    ratio = sqrt(columns / rows)
    a, b = sqrt(rows - 1), sqrt(columns)
    centre, scale = (a + b) ** 2, (a + b) * (1 / a + 1 / b) ** (1 / 3)
    return max(0.0, 1 - ratio) ** 2, (1 + ratio) ** 2, (centre + TRACY_WIDOM * scale) / rows


@dataclass(frozen=True, slots=True)
class Apart:
    """Scores per row. `inside`: the part of the score from directions outside the noise.

    `direction`: the eigenvector, from 0, with the largest part of that, or the one that few rows form;
    `part`: its share of the score; `coordinate`: the row's coordinate along it, in standard deviations;
    `alone`: the distance on a direction of few rows, in multiples of the minimum; 0 for other rows.
    """

    score: Floats
    inside: Floats
    direction: NDArray[np.int64]
    part: Floats
    coordinate: Floats
    alone: Floats
    limit: float  # of the score; infinite if no row can be novel

    def excess(self) -> Floats:
        """The novelty of each row, by either criterion; above 1 it is novel."""
        return np.maximum(self.score / self.limit, self.alone**2)

    def order(self) -> NDArray[np.int64]:
        """The rows, most novel first; none if no row can be novel."""
        order = np.argsort(-self.excess(), kind="stable")
        return order if np.isfinite(self.limit) else order[:0]

    def novel(self) -> NDArray[np.int64]:
        """The novel rows, most novel first."""
        order = self.order()
        return order[self.excess()[order] > 1]

    def along_direction(self, row: int) -> bool:
        """Whether a row is novel because of its direction rather than its distance."""
        usual = float(self.inside.mean())
        return bool(self.alone[row] > 1 or self.inside[row] > usual)


def apart(eigen: Eigen, blocks: Blocks) -> Apart:
    """The novelty of each row, in two passes over the rows."""
    found = zip(*blocks(partial(_scored, eigen, -(-eigen.rows // SAMPLE))), strict=True)
    score, inside, direction, part, coordinate, drawn = (np.concatenate(parts) for parts in found)
    alone, limit = np.zeros(len(score)), float("inf")
    if eigen.outside:
        limit, weight = _limit(score, eigen), eigen.weight
        for number, rows, places, out in _groups(eigen, drawn, blocks):
            alone[rows], direction[rows] = out, number
            coordinate[rows] = places / sqrt(eigen.values[number])
            part[rows] = np.minimum(places**2 * weight[number] / np.maximum(score[rows], 1e-12), 1.0)
    return Apart(score, inside, direction.astype(np.int64), part, coordinate, alone, limit)


def _scored(eigen: Eigen, every: int, start: int, block: Matrix) -> tuple[NDArray[Any], ...]:
    """The scores of a block's rows, and the coordinates of every `every`-th row outside the noise."""
    kept, places, at = eigen.outside, eigen.along(block), np.arange(len(block))
    counts = places**2 * eigen.weight
    score = counts.sum(axis=1)
    outside = counts[:, : max(kept, 1)]
    best = outside.argmax(axis=1)
    total = np.maximum(score, 1e-12)
    inside = outside.sum(axis=1) / total if kept else np.zeros(len(block))
    coordinate = places[at, best] / np.sqrt(np.maximum(eigen.values[best], 1e-12))
    return score, inside, best, outside[at, best] / total, coordinate, places[-start % every :: every, :kept]


def _groups(
    eigen: Eigen, drawn: Floats, blocks: Blocks
) -> Iterator[tuple[int, NDArray[np.int64], Floats, Floats]]:
    """The directions caused by few rows: direction, rows, coordinates and distances.

    `drawn`: a sample of rows, projected on the directions outside the noise.
    """
    middle = np.median(drawn, axis=0)
    spread = np.maximum(TO_SIGMA * np.median(np.abs(drawn - middle), axis=0), 1e-6)
    least = NormalDist().inv_cdf(1 - ASTRAY / eigen.rows)
    far = zip(*blocks(partial(_far, eigen, middle, spread * least)), strict=True)
    row, direction, places, out = (np.concatenate(parts) for parts in far)
    for number in range(eigen.outside):
        for side in (1, -1):
            here = (direction == number) & (out * side > 0)
            count = int(here.sum())
            if not LEAST <= count <= FEW * eigen.rows:
                continue
            left = eigen.rows - count  # the variance of the others, since the mean over all rows is 0
            rest = (eigen.values[number] * eigen.rows - (places[here] ** 2).sum()) / left
            if rest - (places[here].sum() / left) ** 2 <= eigen.threshold:
                yield number, row[here], places[here], np.abs(out[here])


def _far(eigen: Eigen, middle: Floats, least: Floats, start: int, block: Matrix) -> tuple[NDArray[Any], ...]:
    """Rows of a block far out on a direction: row, direction, coordinate, distance."""
    places = eigen.along(block, np.arange(eigen.outside))
    out = (places - middle) / least
    row, direction = np.nonzero(np.abs(out) > 1)
    return row + start, direction, places[row, direction], out[row, direction]


def sharing(found: Apart, eigen: Eigen, rows: NDArray[np.int64], blocks: Blocks) -> NDArray[np.int64]:
    """For each of these rows, the number of rows at least half as far along its direction.

    The row itself is included.
    """
    directions, least = found.direction[rows], HALF * found.coordinate[rows]
    side = np.sign(least)
    spread = np.sqrt(np.maximum(eigen.values[directions], 1e-12))
    count = np.zeros(len(rows), np.int64)
    return sum(blocks(partial(_beyond, eigen, directions, side / spread, least * side)), count)


def _beyond(
    eigen: Eigen, directions: NDArray[np.int64], scale: Floats, least: Floats, _: int, block: Matrix
) -> NDArray[np.int64]:
    count: NDArray[np.int64] = (eigen.along(block, directions) * scale >= least).sum(axis=0)
    return count


def _limit(score: Floats, eigen: Eigen) -> float:
    logs = np.log(np.maximum(score, 1e-9))
    middle = float(np.median(logs))
    spread = max(TO_SIGMA * float(np.median(np.abs(logs - middle))), 1e-6)
    share = eigen.values / (eigen.values + eigen.edge)  # each direction's share of the score of noise
    of_noise = sqrt(2 * float((share**2).sum())) / float(share.sum())
    chance = NormalDist().inv_cdf(1 - BY_CHANCE / len(score))
    return float(np.exp(middle + max(UNUSUAL * spread, chance * min(spread, of_noise))))
