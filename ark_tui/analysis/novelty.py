"""Rows that stand apart from what the spectrum says of all: beyond the cloud, or along a direction of few.

**Beyond.** A standardised row is laid along the eigenvectors, and each coordinate p counts p² / (λ + e), with
e the edge of the noise: what varies much anyway counts little, and below the edge all directions count alike,
since there the eigenvalues are noise (the cleaning of Laloux et al. 1999, as a ridge). It is Mahalanobis'
distance with a correlation matrix that can be trusted. A row is novel where the logarithm of that lies 2.5
robust deviations above the median; where the logarithms spread no wider than those of noise would, so many
that the largest of as many noisy rows does not reach it.

**Along.** Rows that share what no other row has make a direction of their own, and lie close to it: the
distance above calls them usual. They are novel where the direction rises above the noise by them alone: they
lie farther out on one side than noise does, are few, and without them the variance along it is noise.

Where no eigenvalue is outside the noise there is nothing to be novel against.

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
    from ark_tui.analysis.spectrum import Eigen
    from ark_tui.domain.protocols import Matrix

    Floats = NDArray[np.float64]

UNUSUAL = 2.5  # robust deviations from the median
TO_SIGMA = 1.4826  # times the median absolute deviation is a standard deviation
HALF = 0.5  # of a row's coordinate: others that reach it share its direction
BY_CHANCE = 0.01  # noisy rows beyond the cloud, of all
ASTRAY = 0.05  # noisy rows far out on a side of a direction, of all
LEAST = 3  # rows that have a direction to themselves
FEW = 0.05  # of the rows: more are a theme
SAMPLE = 16_384  # rows of which medians are taken


@dataclass(frozen=True, slots=True)
class Apart:
    """Per row. `inside`: the part of the score that lies outside the noise, on shared directions.

    `direction`: the eigenvector, from 0, that says most of that, or that few rows have to themselves;
    `part`: how much of the score it is; `coordinate`: the row's place along it, in standard deviations;
    `alone`: how far out it is on a direction of few, in multiples of the least that counts; 0 on none.
    """

    score: Floats
    inside: Floats
    direction: NDArray[np.int64]
    part: Floats
    coordinate: Floats
    alone: Floats
    limit: float  # of the score; infinite where nothing can be novel

    def excess(self) -> Floats:
        """How far apart each row is, in either way; above 1 it is novel."""
        return np.maximum(self.score / self.limit, self.alone**2)

    def order(self) -> NDArray[np.int64]:
        """The rows, farthest apart first; none where nothing can be novel."""
        order = np.argsort(-self.excess(), kind="stable")
        return order if np.isfinite(self.limit) else order[:0]

    def novel(self) -> NDArray[np.int64]:
        """The novel ones among them."""
        order = self.order()
        return order[self.excess()[order] > 1]

    def along_direction(self, row: int) -> bool:
        """Whether a row is apart by where it lies on the shared directions, rather than beyond them all."""
        usual = float(self.inside.mean())
        return bool(self.alone[row] > 1 or self.inside[row] > usual)


def apart(eigen: Eigen, blocks: Blocks) -> Apart:
    """How far each row stands apart. The rows are looked at twice."""
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
    """What there is to say of the rows of a block; and one in `every` of all, along the shared directions."""
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
    """The few rows that a direction outside the noise is due to: direction, rows, places and how far out.

    `drawn`: rows along the directions outside the noise, a sample.
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
            left = eigen.rows - count  # their variance: the mean over all rows is 0
            rest = (eigen.values[number] * eigen.rows - (places[here] ** 2).sum()) / left
            if rest - (places[here].sum() / left) ** 2 <= eigen.threshold:
                yield number, row[here], places[here], np.abs(out[here])


def _far(eigen: Eigen, middle: Floats, least: Floats, start: int, block: Matrix) -> tuple[NDArray[Any], ...]:
    """Rows of a block far out on a direction outside the noise: row, direction, place, how far."""
    places = eigen.along(block, np.arange(eigen.outside))
    out = (places - middle) / least
    row, direction = np.nonzero(np.abs(out) > 1)
    return row + start, direction, places[row, direction], out[row, direction]


def sharing(found: Apart, eigen: Eigen, rows: NDArray[np.int64], blocks: Blocks) -> NDArray[np.int64]:
    """How many rows lie at least half as far along the direction of each of some rows, on its side.

    The row itself is one of them.
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
    share = eigen.values / (eigen.values + eigen.edge)  # of each direction in the score of noise
    of_noise = sqrt(2 * float((share**2).sum())) / float(share.sum())
    chance = NormalDist().inv_cdf(1 - BY_CHANCE / len(score))
    return float(np.exp(middle + max(UNUSUAL * spread, chance * min(spread, of_noise))))
