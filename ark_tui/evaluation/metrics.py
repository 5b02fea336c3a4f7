"""The metrics of one query, as trec_eval defines them.

A document is relevant when its grade is above 0; one without a judgement is not. Judged documents that are
in no corpus still count in the ideal ranking and among the relevant ones, as they do there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import log2

from ark_tui.domain.evaluation import METRICS

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
    """Normalised discounted cumulated gain (Järvelin and Kekäläinen 2002): trec_eval's `ndcg_cut_10`.

    The gain is the grade itself, not 2^grade − 1, and rank r is discounted by log2(r + 1).
    """
    ideal = _discounted(sorted(_gains(grades.values()), reverse=True)[:depth])
    return _discounted(_gains(grades.get(id_, 0) for id_ in ranked[:depth])) / ideal if ideal else 0.0


def recall(ranked: Sequence[str], grades: Grades, depth: int = DEPTH) -> float:
    """The share of the relevant documents that is among the first: `recall_10`."""
    relevant = sum(grade > 0 for grade in grades.values())
    return sum(grades.get(id_, 0) > 0 for id_ in ranked[:depth]) / relevant if relevant else 0.0


def hit(ranked: Sequence[str], grades: Grades, depth: int = HIT_DEPTH) -> float:
    """1 when a relevant document is among the first, else 0: `success_3`."""
    return float(any(grades.get(id_, 0) > 0 for id_ in ranked[:depth]))


def reciprocal_rank(ranked: Sequence[str], grades: Grades, depth: int = DEPTH) -> float:
    """1 / rank of the first relevant document, 0 when it is not among the first: `recip_rank`, cut."""
    ranks = (rank for rank, id_ in enumerate(ranked[:depth], start=1) if grades.get(id_, 0) > 0)
    return 1 / next(ranks, float("inf"))


def _gains(grades: Iterable[int]) -> list[int]:
    """A negative grade gains nothing, it does not cost anything."""
    return [max(grade, 0) for grade in grades]


def _discounted(gains: Sequence[int]) -> float:
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, start=1))
