"""A vector per document: the mean of its chunks' vectors, of unit length."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.domain.protocols import Matrix

AT_ONCE = 4096  # chunks that are read together


def means(
    vectors: Callable[[NDArray[np.int64]], Matrix],
    rows: NDArray[np.int64],
    document: NDArray[np.int64],
    count: int,
) -> Matrix:
    """`(count, d)`: of each document the mean of its chunks, of unit length.

    `vectors`: of rows. `rows` and `document` run over the chunks that have a vector; `document` is a place,
    0…count−1. Zeros for a document without one.
    """
    sums = np.zeros((count, vectors(rows[:1]).shape[1]), np.float32)
    order = np.argsort(document, kind="stable")
    for start in range(0, len(order), AT_ONCE):
        part = order[start : start + AT_ONCE]
        first = document[part[0]]
        width = int(document[part[-1]] - first) + 1
        belongs = sparse.csr_array(
            (np.ones(len(part), np.float32), (document[part] - first, np.arange(len(part)))),
            shape=(width, len(part)),
        )
        sums[first : first + width] += belongs @ vectors(rows[part])
    lengths = np.sqrt(np.einsum("ij,ij->i", sums, sums))[:, None]
    np.divide(sums, lengths, out=sums, where=lengths > 0)
    return sums
