"""The metrics of one query, as defined by trec_eval.

A document is relevant if its grade is above 0; unjudged documents are not. As in trec_eval, judged documents
that are missing from the corpus still count as relevant and in the ideal ranking.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import log2
from typing import TYPE_CHECKING

import numpy as np

from ark_tui.domain.evaluation import METRICS, Estimate, Measures

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Values = NDArray[np.float64]
    """Queries × metrics."""

DEPTH = 10
HIT_DEPTH = 3

Grades = Mapping[str, int]
"""Document id → grade."""


def measure(ranked: Sequence[str], grades: Grades) -> tuple[float, ...]:
    """The values of `METRICS`, in their order. `ranked`: ids, best first."""
    values = {
        "ndcg_10": ndcg(ranked, grades),
        "recall_10": recall(ranked, grades),
        "hit_3": hit(ranked, grades),
        "mrr_10": reciprocal_rank(ranked, grades),
    }
    return tuple(values[name] for name in METRICS)


def ndcg(ranked: Sequence[str], grades: Grades, depth: int = DEPTH) -> float:
    """Normalized discounted cumulative gain (Järvelin and Kekäläinen 2002): trec_eval's `ndcg_cut_10`.

    The gain is the grade itself, not 2^grade − 1; rank r is discounted by log2(r + 1).
    """
    ideal = _discounted(sorted(_gains(grades.values()), reverse=True)[:depth])
    return _discounted(_gains(grades.get(id_, 0) for id_ in ranked[:depth])) / ideal if ideal else 0.0


def recall(ranked: Sequence[str], grades: Grades, depth: int = DEPTH) -> float:
    """The share of relevant documents in the first `depth` results: `recall_10`."""
    relevant = sum(grade > 0 for grade in grades.values())
    return sum(grades.get(id_, 0) > 0 for id_ in ranked[:depth]) / relevant if relevant else 0.0


def hit(ranked: Sequence[str], grades: Grades, depth: int = HIT_DEPTH) -> float:
    """1 if one of the first `depth` results is relevant, else 0: `success_3`."""
    return float(any(grades.get(id_, 0) > 0 for id_ in ranked[:depth]))


def reciprocal_rank(ranked: Sequence[str], grades: Grades, depth: int = DEPTH) -> float:
    """1 / rank of the first relevant document, 0 if it is not within `depth`: `recip_rank` with a cutoff."""
    ranks = (rank for rank, id_ in enumerate(ranked[:depth], start=1) if grades.get(id_, 0) > 0)
    return 1 / next(ranks, float("inf"))


def _gains(grades: Iterable[int]) -> list[int]:
    """The gains of grades; negative grades count as 0."""
    return [max(grade, 0) for grade in grades]


def _discounted(gains: Sequence[int]) -> float:
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, start=1))


RESAMPLES = 2000
SEED = 19790101
BOUNDS = (2.5, 97.5)  # percent


def estimate(values: Values) -> Measures:
    """The means of one set, with confidence intervals."""
    return _measures(len(values), values.mean(axis=0), _resampled(values, 0))


def macro(sets: Sequence[Values]) -> Measures:
    """The mean of the sets' means, with confidence intervals."""
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
    """The means of `RESAMPLES` bootstrap samples: resamples × metrics."""
    drawn = _draws(len(values), stratum)
    return (drawn @ values.astype(np.float32)).astype(np.float64) / len(values)


@lru_cache(maxsize=8)
def _draws(queries: int, stratum: int) -> NDArray[np.float32]:
    """The number of draws of each query in each sample; the same for all rankings of the same queries."""
    chance = np.random.default_rng([SEED, stratum, queries])
    return chance.multinomial(queries, np.full(queries, 1 / queries), size=RESAMPLES).astype(np.float32)
