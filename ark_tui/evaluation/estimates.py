"""Means over queries with 95 % intervals, by a seeded bootstrap (Efron 1979; percentile intervals).

Queries are drawn again with replacement. A macro mean draws within each set, so that every set keeps its
weight. Two rankings are compared by their differences query by query: the interval is a paired one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from ark_tui.domain.evaluation import METRICS, Estimate, Measures

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Values = NDArray[np.float64]
    """Queries × metrics."""

RESAMPLES = 2000
SEED = 19790101
BOUNDS = (2.5, 97.5)  # percent


def estimate(values: Values) -> Measures:
    """The means of one set of queries."""
    return _measures(len(values), values.mean(axis=0), _resampled(values, 0))


def macro(sets: Sequence[Values]) -> Measures:
    """The mean of the sets' means."""
    means = np.mean([values.mean(axis=0) for values in sets], axis=0)
    resampled = np.mean([_resampled(values, stratum) for stratum, values in enumerate(sets)], axis=0)
    return _measures(sum(map(len, sets)), means, resampled)


def _measures(queries: int, means: Values, resampled: Values) -> Measures:
    low, high = np.percentile(resampled, BOUNDS, axis=0)
    return Measures(
        queries,
        {
            name: Estimate(float(means[i]), float(low[i]), float(high[i]))
            for i, name in enumerate(METRICS)
        },
    )  # fmt: skip


def _resampled(values: Values, stratum: int) -> Values:
    """The means of `RESAMPLES` samples: resamples × metrics."""
    drawn = _draws(len(values), stratum)
    return (drawn @ values.astype(np.float32)).astype(np.float64) / len(values)


@lru_cache(maxsize=8)
def _draws(queries: int, stratum: int) -> NDArray[np.float32]:
    """How often each query is drawn in each sample; the same for every ranking of the same queries."""
    chance = np.random.default_rng([SEED, stratum, queries])
    return chance.multinomial(queries, np.full(queries, 1 / queries), size=RESAMPLES).astype(np.float32)
