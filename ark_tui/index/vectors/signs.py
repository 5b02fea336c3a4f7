"""One bit for each dimension of a vector, then two, to choose by which vectors are worth a look (RaBitQ).

After Gao and Long (2024), "RaBitQ: Quantizing High-Dimensional Vectors with a Theoretical Error Bound". The
vectors are taken from their middle and turned at random; what is kept of x is the signs s of
t = turned(x − m), and its gain |t|² / ⟨t, s⟩, so that ⟨x, q⟩ ≈ ⟨m, q⟩ + gain · ⟨s, turned(q)⟩ without bias.
The query is rounded to sixteen steps, which makes ⟨s, turned(q)⟩ four counts of bits. For a closer look a
second bit says whether |tᵢ| is large: c = s · (3 where it is, else 1) has a gain of its own (Gao et al. 2025,
"Practical and Asymptotically Optimal Quantization of High-Dimensional Vectors"). It is kept as the signs r of
c − 2s, so that ⟨c, turned(q)⟩ is 2⟨s, turned(q)⟩ + ⟨r, turned(q)⟩: the same counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import shake_256
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.domain.protocols import Matrix
    from ark_tui.index.protocols import Vector

WORD = 64  # dimensions of which the signs share an integer
PLANES = 4  # bits of a query's dimension
LARGE = 0.996  # times the mean square's root: the least error of four even steps of a Gaussian (Max 1960)
AT_ONCE = 1 << 15  # rows whose bits are counted at once: they stay in the processor's cache


@dataclass(frozen=True, slots=True)
class Query:
    """A vector to be multiplied with: turned, and rounded to sixteen steps."""

    vector: Vector
    step: np.float32  # half of one
    planes: NDArray[np.uint64]  # (PLANES, words), of least worth first

    @classmethod
    def of(cls, vector: Vector) -> Query:
        turn = turned(np.asarray(vector, np.float32)[None])[0]
        step = float(np.abs(turn).max()) / (1 << PLANES) or 1.0
        levels = np.clip(np.floor(turn / (2 * step)) + (1 << PLANES - 1), 0, (1 << PLANES) - 1)
        bits = levels.astype(np.int64) >> np.arange(PLANES)[:, None] & 1
        return cls(vector, np.float32(step), _packed(bits > 0).T)

    def closer(self, signs: NDArray[np.uint64]) -> Vector:
        """⟨c, turned⟩ of codes c by both bits, `(2, words, n)`."""
        return 2 * self.product(signs[0]) + self.product(signs[1])

    def product(self, signs: NDArray[np.uint64]) -> Vector:
        """⟨s, turned⟩ of signs s, `(words, n)`: by in how many they differ from each plane."""
        apart = np.zeros(len(signs[0]), np.uint16)
        for plane in self.planes[::-1]:
            apart <<= 1
            for word, bits in zip(signs, plane, strict=True):
                apart += np.bitwise_count(word ^ bits)
        most = WORD * len(signs) * ((1 << PLANES) - 1)
        found: Vector = self.step * (np.float32(most) - 2 * apart.astype(np.float32))
        return found


@dataclass(frozen=True, slots=True)
class Codes:
    """The signs of some rows, what makes products of them, and what makes these closer."""

    signs: NDArray[np.uint64]  # (2, words, n)
    gain: Vector  # (2, n)
    middle: Vector  # (d,)

    def estimates(self, query: Query, out: Vector) -> None:
        """About what the product of each row with a vector is, by one bit a dimension."""
        base = self.middle @ query.vector
        for low in range(0, len(out), AT_ONCE):
            here = slice(low, low + AT_ONCE)
            out[here] = base + self.gain[0, here] * query.product(self.signs[0, :, here])

    def closer(self, query: Query, rows: NDArray[np.int64]) -> Vector:
        """The same of some rows by both bits, off by half as much."""
        both, words, count = self.signs.shape
        signs = self.signs.reshape(both * words, count).take(rows, axis=1).reshape(both, words, len(rows))
        found: Vector = self.middle @ query.vector + self.gain[1, rows] * query.closer(signs)
        return found


@lru_cache(maxsize=32)
def asked(vector: bytes) -> Query:
    """The query of a vector, given as float32; a search asks for a few, each several times."""
    return Query.of(np.frombuffer(vector, np.float32))


def coded(vectors: Matrix, middle: Vector) -> tuple[NDArray[np.uint64], Vector]:
    """The codes `(2, words, n)` and gains `(2, n)` of vectors seen from a middle."""
    turn = turned(vectors - middle)
    squares, size = np.einsum("ij,ij->i", turn, turn), np.abs(turn)
    far = size > LARGE * np.sqrt(squares / turn.shape[1])[:, None]
    length = np.stack([size.sum(axis=1), (size * (1 + 2 * far)).sum(axis=1)])
    length[length == 0] = 1
    return np.stack([_packed(turn > 0), _packed((turn > 0) == far)]), (squares / length).astype(np.float32)


def turned(vectors: Matrix) -> Matrix:
    """Vectors with their dimensions mixed, lengths and angles kept; a power of two of dimensions, ≥ 64."""
    dims = vectors.shape[1]
    return vectors @ _mixing(max(WORD, 1 << (dims - 1).bit_length()))[:dims]


@cache
def _mixing(dims: int) -> Matrix:
    """Hadamard's matrix with its rows turned round by the toss of a coin, always the same."""
    matrix = np.ones((1, 1), np.float32)
    while len(matrix) < dims:
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
    coins = np.unpackbits(np.frombuffer(shake_256(b"signs").digest(dims // 8), np.uint8))
    return matrix * np.where(coins, 1, -1)[:, None].astype(np.float32) / np.float32(dims**0.5)


def _packed(bits: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """`(n, d)` as `(d / 64, n)`."""
    return np.ascontiguousarray(np.packbits(bits, axis=1).view(np.uint64).T)
