"""Weights fitted to judged queries: a conditional logit (McFadden 1974), drawn towards the weights before.

Of n queries, each with documents d whose signals have the values x_d and whose grades are g_d, the weights w
minimise

    − 1/n · Σ_queries Σ_d g_d/Σg · log( exp(τ w·x_d) / Σ_e exp(τ w·x_e) )  +  PULL/n · Σ_s ((w_s − v_s) / v̄)²

within 0 ≤ w_s ≤ MOST · v̄ · signals, where v are the weights before, v̄ is their mean and τ the scale by which
v itself explains the grades best. The pull counts as much as so many queries do: the fewer there are, the
closer to v the result. It is convex, so that there is one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]

PULL = 2.0
MOST = 0.6  # of the sum of all weights, that one signal may have
SCALES = (1.0, 1000.0)  # between which τ is looked for, times 1 / the sum of the weights
SEED = 19740101


@dataclass(frozen=True, slots=True)
class Graded:
    """One query: the values of its documents, documents × signals, and the share of the grades of each."""

    values: NDArray[np.float64]
    shares: Vector


def fitted(queries: Sequence[Graded], before: Vector) -> Vector:
    """The weights, by the formula above, with the same sum as those before; all of those are above 0.

    A signal that says nothing of any of these documents keeps its weight.
    """
    queries = [query for query in queries if query.shares.any()]  # else no document that answers is found
    weights = before.copy()
    said = np.any([query.values.any(axis=0) for query in queries], axis=0)
    if np.any(said):
        shown = [Graded(query.values[:, said], query.shares) for query in queries]
        weights[said] = _optimal(shown, before[said])
    return weights


def _optimal(queries: Sequence[Graded], before: Vector) -> Vector:
    from scipy.optimize import minimize

    mean, scale = before.mean(), _scale(queries, before)

    def loss(weights: Vector) -> tuple[float, Vector]:
        value, slope = likelihood(queries, weights, scale)
        apart = (weights - before) / mean
        pull = PULL / len(queries)
        return -value + pull * float(apart @ apart), -slope + 2 * pull * apart / mean

    most = max(MOST * before.sum(), before.max())
    found = minimize(loss, before, jac=True, method="L-BFGS-B", bounds=[(0.0, most)] * len(before)).x
    weights: Vector = found * before.sum() / found.sum() if found.sum() > 0 else before
    return weights


def likelihood(queries: Sequence[Graded], weights: Vector, scale: float) -> tuple[float, Vector]:
    """The mean log-likelihood of the grades, and its slope by weight."""
    value, slope = 0.0, np.zeros(len(weights))
    for query in queries:
        height = scale * (query.values @ weights)
        height -= height.max()
        odds = np.exp(height)
        total = odds.sum()
        value += float(query.shares @ height - np.log(total))
        slope += scale * (query.shares - odds / total) @ query.values
    return value / len(queries), slope / len(queries)


def folds(count: int, several: int) -> list[NDArray[np.int64]]:
    """So many parts of about the same size of the numbers below `count`, seeded."""
    order = np.random.default_rng([SEED, count]).permutation(count)
    return [np.sort(part) for part in np.array_split(order, several)]


def _scale(queries: Sequence[Graded], weights: Vector) -> float:
    """How sharply the scores by these weights tell documents apart, in log-odds per unit of score."""
    from scipy.optimize import minimize_scalar

    low, high = np.log(SCALES) - np.log(weights.sum())
    found = minimize_scalar(
        lambda at: -likelihood(queries, weights, float(np.exp(at)))[0], bounds=(low, high), method="bounded"
    )
    return float(np.exp(found.x))
