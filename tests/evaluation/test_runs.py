from __future__ import annotations

from pathlib import Path

import pytest
import pytrec_eval

from ark_tui.domain.errors import UsageError
from ark_tui.evaluation import results


def read(path: Path) -> dict[str, dict[str, float]]:
    with path.open(encoding="utf-8") as file:
        found: dict[str, dict[str, float]] = pytrec_eval.parse_run(file)
    return found


def test_a_run_has_the_six_columns_of_trec(tmp_path: Path) -> None:
    path = results.write(
        tmp_path / "runs", "med", "default", {"q1": [("a", 0.75), ("b", 0.5)], "q2": [("c", 1)]}
    )
    assert path.name == "med.default.run"
    assert path.read_text() == "q1 Q0 a 1 0.75 default\nq1 Q0 b 2 0.5 default\nq2 Q0 c 1 1 default\n"
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_equal_scores_keep_their_order_in_trec_eval(tmp_path: Path) -> None:
    run = {"q": [("a", 0.5), ("z", 0.5), ("m", 0.5)]}
    path = results.write(tmp_path, "s", "p", run)
    measure = pytrec_eval.RelevanceEvaluator({"q": {"a": 1}}, {"recip_rank"})
    assert measure.evaluate(read(path))["q"]["recip_rank"] == 1.0


@pytest.mark.parametrize("id_", ["two words", ""])
def test_an_id_that_a_run_cannot_hold_is_refused_and_nothing_is_left(tmp_path: Path, id_: str) -> None:
    with pytest.raises(UsageError, match="has a space"):
        results.write(tmp_path, "s", "p", {"q": [("fine", 1.0), (id_, 0.5)]})
    assert list(tmp_path.iterdir()) == []
