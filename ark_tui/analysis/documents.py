"""A vector per document: the mean of its chunks' vectors, normalized to unit length."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.analysis.blocks import Blocks
    from ark_tui.domain.protocols import Matrix


def means(chunks: Blocks, document: NDArray[np.int64], count: int) -> Matrix:
    """The normalized mean of each document's chunk vectors, `(count, d)`; zeros without a chunk.

    `document`: the document index of each chunk, 0…count−1, ascending.
    """
    sums: Matrix | None = None
    for first, part in chunks(partial(_sums, document)):
        if sums is None:
            sums = np.zeros((count, part.shape[1]), np.float32)
        sums[first : first + len(part)] += part
    if sums is None:
        return np.zeros((count, 1), np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", sums, sums))[:, None]
    np.divide(sums, lengths, out=sums, where=lengths > 0)
    return sums


def _sums(document: NDArray[np.int64], start: int, vectors: Matrix) -> tuple[int, Matrix]:
    """The first document of a block of chunks, and the sums for it and the following ones."""
    own = document[start : start + len(vectors)]
    own, first = own - own[0], int(own[0])
    belongs = sparse.csr_array(
        (np.ones(len(own), np.float32), (own, np.arange(len(own)))), shape=(int(own[-1]) + 1, len(own))
    )
    return first, belongs @ vectors
