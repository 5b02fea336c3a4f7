"""The Fiedler vector: the easiest division of a connected graph (Fiedler 1973; Shi and Malik 2000).

It is the eigenvector of the second smallest eigenvalue of the graph's Laplacian. Up to 1,500 nodes the dense
problem is solved. A larger graph is coarsened to that size; the solution is interpolated back and improved on
each level by LOBPCG (Knyazev 2001), with the coarser graphs as preconditioner. The residual is returned.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from scipy import linalg, sparse

from ark_tui.domain.protocols import NEVER, OnProgress, Stop, check, ignore
from ark_tui.domain.work import Progress

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.analysis.network import Sparse

    Floats = NDArray[np.float64]

FULL = 1_500  # nodes up to which the dense problem is solved
BLOCK = 4  # vectors improved together, for convergence with close eigenvalues
STEPS = 20, 100  # minimum and maximum on the finest level; fewer if the residual is small before
STEPS_BELOW = 30
WORK = 2_000_000  # limit of nodes × steps
SMALL = 1e-7  # residual at which the iteration ends
SMOOTHING = 2 / 3  # damping of a Jacobi step
STAGE = "boundary"


@dataclass(frozen=True, slots=True)
class Fiedler:
    """`residual`: ‖Sv − value·v‖ for the unit vector v of the symmetric problem; it bounds the error."""

    value: float
    vector: Floats
    residual: float
    exact: bool


def fiedler(
    graph: Sparse, *, normalised: bool = True, stop: Stop = NEVER, progress: OnProgress = ignore
) -> Fiedler:
    """The Fiedler vector of a connected, symmetric graph with positive weights and at least two nodes.

    Normalized: Lx = λDx, else Lx = λx. The sign makes the entry of largest magnitude positive.
    """
    mass = _degrees(graph) if normalised else np.ones(graph.shape[0])
    if graph.shape[0] <= FULL:
        problem = _Problem(graph, mass)
        vectors = _full(problem)
    else:
        problem, vectors = _by_levels(graph, mass, stop, progress)
    first = vectors[:, 0] / np.linalg.norm(vectors[:, 0])
    image = problem.times(first)
    value = float(first @ image)
    residual = float(np.linalg.norm(image - value * first))
    vector = first * problem.scale
    vector /= np.linalg.norm(vector)
    farthest = vector[np.argmax(np.round(np.abs(vector), 9))]
    return Fiedler(max(value, 0.0), vector if farthest > 0 else -vector, residual, graph.shape[0] <= FULL)


class _Problem:
    """S = M^-½ (D − W) M^-½, without its smallest eigenvector M^½·1, which is known."""

    def __init__(self, graph: Sparse, mass: Floats) -> None:
        self.graph = graph
        self.mass = mass
        self.scale = 1 / np.sqrt(mass)
        scaled = sparse.diags_array(self.scale)
        self._off = (scaled @ graph @ scaled).tocsr()
        self.diagonal = _degrees(graph) * self.scale**2
        self.known = np.sqrt(mass) / np.linalg.norm(np.sqrt(mass))

    def times(self, vectors: Floats) -> Floats:
        scaled = self.diagonal * vectors if vectors.ndim == 1 else self.diagonal[:, None] * vectors
        found: Floats = scaled - self._off @ vectors
        return found

    def dense(self) -> Floats:
        return np.asarray(np.diag(self.diagonal) - self._off.toarray())

    def without_known(self, vectors: Floats) -> Floats:
        found: Floats = vectors - np.outer(self.known, self.known @ vectors)
        return found


def _degrees(graph: Sparse) -> Floats:
    return np.asarray(graph.sum(axis=1), np.float64).ravel()


def _full(problem: _Problem) -> Floats:
    """The eigenvectors after the known one."""
    dense = problem.dense() + 4 * problem.diagonal.max() * np.outer(problem.known, problem.known)
    last = min(BLOCK, len(dense) - 1) - 1
    found: Floats = linalg.eigh(dense, subset_by_index=[0, max(last, 0)])[1]
    return found


def _by_levels(graph: Sparse, mass: Floats, stop: Stop, progress: OnProgress) -> tuple[_Problem, Floats]:
    problems, maps = [_Problem(graph, mass)], []
    while len(problems[-1].mass) > FULL:
        check(stop)
        level = gathered(problems[-1].graph)
        maps.append(level.of)
        lighter = np.bincount(level.of, weights=problems[-1].mass).astype(np.float64)
        problems.append(_Problem(level.graph, lighter))
    help_ = _Help(problems, maps)
    vectors = _full(problems[-1])
    for at in range(len(maps) - 1, -1, -1):
        spread = (vectors * problems[at + 1].scale[:, None])[maps[at]] / problems[at].scale[:, None]
        steps = min(STEPS[1], max(STEPS[0], WORK // len(mass))) if at == 0 else STEPS_BELOW
        correct, tell = partial(help_.correction, at), progress if at == 0 else ignore
        vectors = _improved(problems[at], spread, correct, steps, stop, tell)
    return problems[0], vectors


class _Help:
    """The preconditioner: one multigrid cycle over the coarser graphs."""

    def __init__(self, problems: list[_Problem], maps: list[NDArray[np.int64]]) -> None:
        self._problems = problems
        self._maps = maps
        values, vectors = np.linalg.eigh(problems[-1].dense())
        self._vectors = vectors[:, 1:]
        self._inverse = 1 / np.maximum(values[1:], 1e-12)

    def correction(self, level: int, residual: Floats) -> Floats:
        """Smooth, apply the coarse correction with the optimal step length, smooth again."""
        if level == len(self._maps):
            found: Floats = self._vectors @ (self._inverse[:, None] * (self._vectors.T @ residual))
            return found
        problem, below, of = self._problems[level], self._problems[level + 1], self._maps[level]
        weight = SMOOTHING / problem.diagonal[:, None]
        guess = weight * residual
        left = residual - problem.times(guess)
        ratio = below.scale[of] / problem.scale
        coarse = self.correction(level + 1, _summed(left * ratio[:, None], of))
        step = coarse[of] * ratio[:, None]
        image = problem.times(step)
        bent = np.einsum("ij,ij->j", step, image)
        length = np.divide(np.einsum("ij,ij->j", step, left), bent, out=np.zeros_like(bent), where=bent > 0)
        smooth: Floats = guess + step * length + weight * (left - image * length)
        return smooth


def _summed(values: Floats, of: NDArray[np.int64]) -> Floats:
    return np.stack([np.bincount(of, weights=column) for column in values.T], axis=1)


def _improved(
    problem: _Problem,
    guess: Floats,
    correction: Callable[[Floats], Floats],
    steps: int,
    stop: Stop,
    progress: OnProgress,
) -> Floats:
    """LOBPCG: repeat the best combination of guess, preconditioned residual and last step."""
    guess = np.linalg.qr(problem.without_known(guess))[0]
    image = problem.times(guess)
    guess, image, values = _ritz(guess, image, guess.shape[1])
    before = np.empty((len(guess), 0))
    for step in range(steps):
        check(stop)
        progress(Progress(STAGE, step, steps))
        residual = image - guess * values
        if float(np.linalg.norm(residual[:, 0])) < SMALL:
            break
        fresh = problem.without_known(correction(residual))
        basis = np.hstack([guess, fresh, before])
        basis = problem.without_known(np.linalg.qr(basis / np.linalg.norm(basis, axis=0))[0])
        old = guess
        guess, image, values = _ritz(basis, problem.times(basis), guess.shape[1])
        before = guess - old @ (old.T @ guess)
        before = before[:, np.linalg.norm(before, axis=0) > 1e-12]
    progress(Progress(STAGE, steps, steps))
    return guess


def _ritz(basis: Floats, image: Floats, count: int) -> tuple[Floats, Floats, Floats]:
    """Rayleigh-Ritz: the best vectors in the span of an orthonormal basis, with images and values."""
    inside = basis.T @ image
    values, rotation = np.linalg.eigh((inside + inside.T) / 2)
    rotation = rotation[:, :count]
    return basis @ rotation, image @ rotation, values[:count]


@dataclass(frozen=True, slots=True)
class Level:
    """A coarser graph: node i stands for the finer nodes with `of == i`. Its diagonal counts."""

    graph: Sparse
    of: NDArray[np.int64]


def gathered(graph: Sparse) -> Level:
    """Aggregate nodes around seeds: local maxima of a fixed random order.

    The other nodes join the aggregate of their strongest neighbor, ring by ring.
    """
    count = graph.shape[0]
    priority = np.random.default_rng(count).permutation(count).astype(np.float64)
    row = np.repeat(np.arange(count), np.diff(graph.indptr))
    other = row != graph.indices
    start, end, weight = row[other], graph.indices[other].astype(np.int64), graph.data[other]
    around = np.full(count, -1.0)
    np.maximum.at(around, start, priority[end])
    seeds = np.flatnonzero(priority > around)
    of = np.full(count, -1, np.int64)
    of[seeds] = np.arange(len(seeds))
    while (of < 0).any():
        open_ = (of[start] < 0) & (of[end] >= 0)
        at, to, by = start[open_], of[end[open_]], weight[open_]
        order = np.lexsort((to, -by, at))
        at, first = np.unique(at[order], return_index=True)
        of[at] = to[order][first]
    return Level(contracted(graph, of), of)


def contracted(graph: Sparse, of: NDArray[np.int64]) -> Sparse:
    """The graph between groups of nodes; weights inside a group are on the diagonal, counted twice."""
    count = int(of.max()) + 1
    belongs = sparse.csr_array((np.ones(len(of)), (of, np.arange(len(of)))), shape=(count, len(of)))
    return (belongs @ graph @ belongs.T).tocsr()
