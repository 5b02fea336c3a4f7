"""Eigenvalues of the correlation matrix of vectors, compared with those of pure noise.

The columns are standardized, so noise of n rows in d columns has its eigenvalues below (1+√(d/n))² (Marchenko
and Pastur 1967). The largest one fluctuates around that edge by the Tracy-Widom law, with the centering and
scaling of Johnstone (2001). Eigenvalues above the 99.9 % point count as structure.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.analysis.blocks import Blocks
    from ark_tui.domain.protocols import Matrix

    Floats = NDArray[np.float64]

TRACY_WIDOM = 3.27  # 99.9 % point of the law for real matrices
STILL = 1e-6  # standard deviation below which a column is constant
FEWEST = 8  # rows needed for a meaningful spectrum


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
