from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from ark_tui.domain.evaluation import METRICS
from ark_tui.evaluation import metrics

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


def test_the_same_values_have_the_same_interval_every_time() -> None:
    values = np.random.default_rng(1).random((50, len(METRICS)))
    first = metrics.estimate(values)
    metrics._draws.cache_clear()
    assert metrics.estimate(values) == first


def test_the_interval_is_about_two_standard_errors_to_either_side() -> None:
    values = np.random.default_rng(2).random((400, len(METRICS)))
    error = values[:, 0].std() / 20
    found = metrics.estimate(values).of["ndcg_10"]
    assert found.mean - found.low == pytest.approx(1.96 * error, rel=0.1)
    assert found.high - found.mean == pytest.approx(1.96 * error, rel=0.1)


def test_in_the_macro_mean_a_small_set_counts_as_much_as_a_large_one() -> None:
    found = metrics.macro([column(*[0.0] * 99), column(1.0)])
    assert found.queries == 100
    assert found.of["mrr_10"].mean == 0.5


def test_a_difference_of_nothing_has_an_interval_of_nothing() -> None:
    values = np.random.default_rng(3).random((30, len(METRICS)))
    found = metrics.macro([values - values]).of["ndcg_10"]
    assert (found.mean, found.low, found.high) == (0.0, 0.0, 0.0)


def test_pairing_sees_a_small_steady_difference_that_means_alone_would_not() -> None:
    values = np.random.default_rng(4).random((100, len(METRICS)))
    apart = metrics.estimate(values).of["ndcg_10"]
    paired = metrics.estimate((values + 0.01) - values).of["ndcg_10"]
    assert apart.high - apart.low > 0.05
    assert paired.low > 0
