from __future__ import annotations

from math import log2

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from ark_tui.domain.evaluation import METRICS
from ark_tui.evaluation import metrics

TREC = {
    "ndcg_10": "ndcg_cut_10",
    "recall_10": "recall_10",
    "hit_3": "success_3",
    "mrr_10": "recip_rank",
}
"""What trec_eval calls ours. Its `recip_rank` has no depth: it is given ten documents."""

IDS = [f"d{number}" for number in range(30)]
GRADES = st.dictionaries(st.sampled_from(IDS), st.integers(0, 4), min_size=1).filter(
    lambda grades: any(grades.values())
)


def test_ndcg_discounts_the_grades_by_the_logarithm_of_the_rank() -> None:
    grades = {"a": 3, "b": 2, "c": 1}
    found = 2 / log2(2) + 0 / log2(3) + 3 / log2(4)
    ideal = 3 / log2(2) + 2 / log2(3) + 1 / log2(4)
    assert metrics.ndcg(["b", "x", "a"], grades) == pytest.approx(found / ideal)
    assert metrics.ndcg(["a", "b", "c"], grades) == 1.0
    assert metrics.ndcg(["x", "y"], grades) == 0.0


def test_the_gain_is_the_grade_and_not_its_exponential() -> None:
    assert metrics.ndcg(["b"], {"a": 2, "b": 1}) == pytest.approx(1 / (2 + 1 / log2(3)))


def test_only_the_first_ten_count_and_only_ten_are_ideal() -> None:
    grades = dict.fromkeys(IDS[:20], 1)
    assert metrics.ndcg(IDS[:10], grades) == 1.0
    assert metrics.ndcg([*["x"] * 10, *IDS[:10]], grades) == 0.0
    assert metrics.recall(IDS[:20], grades) == 0.5


def test_recall_hit_and_reciprocal_rank_by_hand() -> None:
    grades = {"a": 1, "b": 2, "zero": 0}
    ranked = ["zero", "x", "y", "b"]
    assert metrics.recall(ranked, grades) == 0.5
    assert metrics.hit(ranked, grades) == 0.0
    assert metrics.hit(["x", "y", "b"], grades) == 1.0
    assert metrics.reciprocal_rank(ranked, grades) == 0.25
    assert metrics.reciprocal_rank([*["x"] * 10, "a"], grades) == 0.0


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
