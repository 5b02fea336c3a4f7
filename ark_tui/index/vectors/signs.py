"""One bit for each dimension of a vector, to choose by which vectors are worth a look (RaBitQ).

After Gao and Long (2024), "RaBitQ: Quantizing High-Dimensional Vectors with a Theoretical Error Bound". The
vectors are taken from their middle and turned at random; what is kept of x is the signs s of
t = turned(x − m), and its gain |t|² / ⟨t, s⟩, so that ⟨x, q⟩ ≈ ⟨m, q⟩ + gain · ⟨s, turned(q)⟩ without bias.
The query is rounded to sixteen steps, which makes ⟨s, turned(q)⟩ four counts of bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from hashlib import shake_256
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.domain.protocols import Matrix
    from ark_tui.index.protocols import Vector

WORD = 64  # dimensions of which the signs share an integer
PLANES = 4  # bits of a query's dimension
AT_ONCE = 1 << 14  # rows whose bits are counted at once: they stay in the processor's cache


@dataclass(frozen=True, slots=True)
class Codes:
    """The signs of some rows, and what makes products of them."""

    signs: NDArray[np.uint64]  # (words, n)
    gain: Vector  # (n,)
    middle: Vector  # (d,)

    def __len__(self) -> int:
        return len(self.gain)

    def estimates(self, vector: Vector, out: Vector) -> None:
        """About what the product of each row with a vector is; off by some hundredths of its length."""
        turn = turned(np.asarray(vector, np.float32)[None])[0]
        step = float(np.abs(turn).max()) / (1 << PLANES) or 1.0
        levels = np.clip(np.floor(turn / (2 * step)) + (1 << PLANES - 1), 0, (1 << PLANES) - 1)
        planes = [_packed((levels.astype(np.int64) >> at & 1)[None] > 0)[:, 0] for at in range(PLANES)]
        whole = np.float32(step * len(turn) * ((1 << PLANES) - 1))
        base = np.float32(self.middle @ vector)
        for low in range(0, len(self), AT_ONCE):
            here = slice(low, low + AT_ONCE)
            apart = _apart([word[here] for word in self.signs], planes)
            out[here] = base + self.gain[here] * (whole - np.float32(2 * step) * apart)


def coded(vectors: Matrix, middle: Vector) -> tuple[NDArray[np.uint64], Vector]:
    """The signs `(words, n)` and gains of vectors seen from a middle."""
    turn = turned(vectors - middle)
    length = np.abs(turn).sum(axis=1)
    length[length == 0] = 1
    return _packed(turn > 0), np.einsum("ij,ij->i", turn, turn) / length


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


def _apart(words: list[NDArray[np.uint64]], planes: list[NDArray[np.uint64]]) -> NDArray[np.uint16]:
    """In how many signs each row differs from the planes of a query, of which each counts twice the last."""
    apart = np.zeros(len(words[0]), np.uint16)
    for plane in reversed(planes):
        apart <<= 1
        for word, bits in zip(words, plane, strict=True):
            apart += np.bitwise_count(word ^ bits)
    return apart
