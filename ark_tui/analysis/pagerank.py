"""PageRank by power iteration (Brin and Page, 1998): where a reader who follows edges is found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ark_tui.analysis.network import shares
from ark_tui.domain.protocols import NEVER, Stop, check

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.analysis.network import Sparse

DAMPING = 0.85
CLOSE = 1e-12  # total change of a step at which it stands still
MOST = 300  # steps; the error shrinks by the damping in each


def pagerank(graph: Sparse, damping: float = DAMPING, stop: Stop = NEVER) -> NDArray[np.float64]:
    """Scores that add up to 1, `(n,)`. From a node without a way out the reader jumps anywhere."""
    count = graph.shape[0]
    if not count:
        return np.empty(0)
    back = shares(graph).T.tocsr()
    stuck = np.asarray(graph.sum(axis=1)).ravel() <= 0
    score = np.full(count, 1.0 / count)
    for _ in range(MOST):
        check(stop)
        after = damping * (back @ score + score[stuck].sum() / count) + (1 - damping) / count
        moved = float(np.abs(after - score).sum())
        score = after
        if moved < CLOSE:
            break
    return np.asarray(score / score.sum())
