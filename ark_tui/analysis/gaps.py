"""Gaps: communities that are close in meaning with few links between them.

Close: one is among the two nearest of the other, by the cosine of their centroids, and the cosine is at least
the median of all pairs. Few links: none, or less than a fifth of the expected number in the configuration
model, d·d′ / 2m.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.analysis.network import Sparse
    from ark_tui.domain.protocols import Matrix

NEAREST = 2
HARDLY = 0.2  # of the expected links
LARGEST = 60  # communities compared
LEAST = 3  # documents of a community
CANDIDATES = 500  # members of a community compared for the nearest pair


@dataclass(frozen=True, slots=True)
class Pair:
    """Two communities, by number, and their most similar rows."""

    a: int
    b: int
    closeness: float
    links: int
    expected: float
    nearest: tuple[int, int]


def gaps(vectors: Matrix, of: NDArray[np.int64], links: Sparse) -> tuple[list[Pair], int]:
    """The gaps, closest pair first, and the number of close pairs. Rows without a vector are zeros.

    `of`: the community of each row, 0 the largest. `links`: symmetric.
    """
    has = np.einsum("ij,ij->i", vectors, vectors) > 0
    sizes = np.bincount(of[has], minlength=1)
    chosen = np.flatnonzero(sizes >= LEAST)[:LARGEST]
    if len(chosen) < 2:
        return [], 0
    member = sparse.csr_array(
        (np.ones(len(of)), (of, np.arange(len(of)))), shape=(int(of.max()) + 1, len(of))
    )
    middles = np.asarray(member[chosen].astype(np.float32) @ vectors)
    middles = middles / np.maximum(np.linalg.norm(middles, axis=1, keepdims=True), 1e-12)
    close = middles @ middles.T
    between = (member @ links @ member.T).toarray()
    degree = between.sum(axis=1)
    near = _near(close)
    found = []
    for i, j in near:
        a, b = int(chosen[i]), int(chosen[j])
        expected = float(degree[a] * degree[b] / max(degree.sum(), 1.0))
        count = round(float(between[a, b]))
        if count == 0 or count < HARDLY * expected:
            pair = _nearest(
                vectors, np.flatnonzero((of == a) & has), np.flatnonzero((of == b) & has), middles[[j, i]]
            )
            found.append(Pair(a, b, float(close[i, j]), count, expected, pair))
    return sorted(found, key=lambda gap: (-gap.closeness, gap.a, gap.b)), len(near)


def _near(close: NDArray[np.float64]) -> list[tuple[int, int]]:
    """Pairs in which one is among the nearest of the other, with at least the median cosine."""
    count = len(close)
    own = close.copy()
    np.fill_diagonal(own, -np.inf)
    order = np.argsort(-own, axis=1, kind="stable")[:, : min(NEAREST, count - 1)]
    usual = float(np.median(close[np.triu_indices(count, 1)]))
    pairs = {(min(i, j), max(i, j)) for i in range(count) for j in order[i].tolist()}
    return sorted(pair for pair in pairs if close[pair] >= usual)


def _nearest(
    vectors: Matrix, a: NDArray[np.int64], b: NDArray[np.int64], towards: NDArray[np.float64]
) -> tuple[int, int]:
    """The most similar rows of two communities, among those nearest to the other's centroid."""
    a = a[np.argsort(-(vectors[a] @ towards[0]), kind="stable")[:CANDIDATES]]
    b = b[np.argsort(-(vectors[b] @ towards[1]), kind="stable")[:CANDIDATES]]
    products = vectors[a] @ vectors[b].T
    best = int(products.argmax())
    return int(a[best // len(b)]), int(b[best % len(b)])
