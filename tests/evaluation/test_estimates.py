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
