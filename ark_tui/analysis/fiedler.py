"""The Fiedler vector: the easiest division of a connected graph (Fiedler 1973; Shi and Malik 2000).

It is the eigenvector of the second smallest eigenvalue of the graph's normalized Laplacian. Up to 1,500 nodes
the dense problem is solved; above, SciPy's LOBPCG approximates it. The residual is returned.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import LinearOperator, lobpcg

from ark_tui.domain.protocols import NEVER, OnProgress, Stop, check, ignore
from ark_tui.domain.work import Progress

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.analysis.network import Sparse

    Floats = NDArray[np.float64]

FULL = 1_500  # nodes up to which the dense problem is solved
BLOCK = 4  # vectors improved together, for convergence with close eigenvalues
STEPS = 500  # at most
SMALL = 1e-7  # residual at which the iteration ends
STAGE = "boundary"


@dataclass(frozen=True, slots=True)
class Fiedler:
    """`residual`: ‖Sv − value·v‖ for the unit vector v of the symmetric problem; it bounds the error."""

    value: float
    vector: Floats
    residual: float
    exact: bool


def fiedler(graph: Sparse, *, stop: Stop = NEVER, progress: OnProgress = ignore) -> Fiedler:
    """The Fiedler vector of a connected, symmetric graph with positive weights and at least two nodes.

    It solves Lx = λDx. The sign makes the entry of largest magnitude positive.
    """
    check(stop)
    mass = np.asarray(graph.sum(axis=1), np.float64).ravel()
    scale = sparse.diags_array(1 / np.sqrt(mass))
    adjacency = (scale @ graph @ scale).tocsr()  # its largest eigenvalue is 1, with the vector `known`
    known = (np.sqrt(mass) / np.linalg.norm(np.sqrt(mass)))[:, None]
    exact = graph.shape[0] <= FULL
    if exact:
        last = graph.shape[0] - 1
        without = adjacency.toarray() - 3 * known @ known.T  # its eigenvalue 1 becomes -2, the smallest
        first = linalg.eigh(without, subset_by_index=[last, last])[1][:, 0]
    else:
        first = _approximated(adjacency, known, stop, progress)
    image = adjacency @ first
    share = float(first @ image)
    vector = first / np.sqrt(mass)
    vector /= np.linalg.norm(vector)
    farthest = vector[np.argmax(np.round(np.abs(vector), 9))]
    residual = float(np.linalg.norm(image - share * first))
    return Fiedler(max(1 - share, 0.0), vector if farthest > 0 else -vector, residual, exact)


def _approximated(adjacency: Sparse, known: Floats, stop: Stop, progress: OnProgress) -> Floats:
    """The second eigenvector of a large graph. Raises `Cancelled`."""
    done = 0

    def times(vectors: Floats) -> Floats:
        nonlocal done
        check(stop)
        progress(Progress(STAGE, min(done, STEPS), STEPS))
        done += 1
        found: Floats = adjacency @ vectors
        return found

    count = adjacency.shape[0]
    operator = LinearOperator((count, count), matvec=times, matmat=times, dtype=np.float64)
    start = np.random.default_rng(0).standard_normal((count, BLOCK))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a residual above the tolerance: it is returned
        vectors = lobpcg(operator, start, Y=known, tol=SMALL, maxiter=STEPS, largest=True)[1]
    progress(Progress(STAGE, STEPS, STEPS))
    return np.asarray(vectors[:, 0] / np.linalg.norm(vectors[:, 0]))
