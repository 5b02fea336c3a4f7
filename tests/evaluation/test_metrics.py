from __future__ import annotations

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
