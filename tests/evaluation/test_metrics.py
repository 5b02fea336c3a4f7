"""Metrics, their means and intervals, and runs, agree with trec_eval."""

from __future__ import annotations

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from ark_tui.domain.evaluation import METRICS
from ark_tui.evaluation import metrics

TREC = {"ndcg_10": "ndcg_cut_10", "recall_10": "recall_10", "hit_3": "success_3", "mrr_10": "recip_rank"}
"""What trec_eval calls ours. Its `recip_rank` has no depth: it is given ten documents."""

IDS = [f"d{number}" for number in range(30)]
GRADES = st.dictionaries(st.sampled_from(IDS), st.integers(0, 4), min_size=1).filter(
    lambda grades: any(grades.values())
)


@pytest.mark.parametrize("grades", [{}, {"a": 0}, {"a": -1}])
def test_a_query_without_an_answer_measures_nothing(grades: dict[str, int]) -> None:
    assert metrics.measure(["a", "b"], grades) == (0.0, 0.0, 0.0, 0.0)


@given(st.lists(st.sampled_from(IDS), unique=True, min_size=1, max_size=10), GRADES)
def test_every_metric_agrees_with_trec_eval(ranked: list[str], grades: dict[str, int]) -> None:
    run = {"q": {id_: float(len(ranked) - place) for place, id_ in enumerate(ranked)}}
    theirs = pytrec_eval.RelevanceEvaluator(
        {"q": grades}, {"ndcg_cut.10", "recall.10", "success.3", "recip_rank"}
    ).evaluate(run)["q"]
    ours = dict(zip(METRICS, metrics.measure(ranked, grades), strict=True))
    assert ours == pytest.approx({name: theirs[theirs_name] for name, theirs_name in TREC.items()})


VALUES = arrays.arrays(
    np.float64, st.tuples(st.integers(1, 40), st.just(len(METRICS))), elements=st.floats(0, 1)
)


def column(*numbers: float) -> metrics.Values:
    return np.repeat(np.array(numbers)[:, None], len(METRICS), axis=1)


@given(VALUES)
@settings(max_examples=25)
def test_the_mean_is_the_mean_and_lies_in_its_interval(values: metrics.Values) -> None:
    found = metrics.estimate(values)
    assert found.queries == len(values)
    for place, name in enumerate(METRICS):
        one = found.of[name]
        assert one.mean == pytest.approx(values[:, place].mean())
        assert values[:, place].min() - 1e-6 <= one.low <= one.high <= values[:, place].max() + 1e-6


def test_in_the_macro_mean_a_small_set_counts_as_much_as_a_large_one() -> None:
    found = metrics.macro([column(*[0.0] * 99), column(1.0)])
    assert found.queries == 100
    assert found.of["mrr_10"].mean == 0.5


def test_pairing_sees_a_small_steady_difference_that_means_alone_would_not() -> None:
    values = np.random.default_rng(4).random((100, len(METRICS)))
    apart = metrics.estimate(values).of["ndcg_10"]
    paired = metrics.estimate((values + 0.01) - values).of["ndcg_10"]
    assert apart.high - apart.low > 0.05
    assert paired.low > 0
