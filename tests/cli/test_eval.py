from __future__ import annotations

import re
from pathlib import Path

import pytest
from rich.cells import cell_len

from ark_tui.domain.evaluation import METRICS
from tests.cli.conftest import Ark
from tests.evaluation.conftest import write_set


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return write_set(tmp_path / "small")


def test_the_json_has_the_promised_names(ark: Ark, small: Path, home: Path) -> None:
    found = ark("eval", small, "--json")
    assert found.code == 0
    (one,) = found.json["sets"]
    names = {*METRICS, "interval"}
    assert one.keys() >= {"name", "documents", "queries", "categories", "baselines", *names}
    assert one["baselines"].keys() == {"bm25", "cosine", "ark"}
    assert all(baseline.keys() >= names for baseline in one["baselines"].values())
    assert one["categories"]["theory"].keys() >= names
    assert one["interval"].keys() == set(METRICS)
    assert found.json["macro"].keys() >= names
    assert {"ablation", "comparison"}.isdisjoint(one)
    assert not home.exists()


def test_ablation_and_comparison_are_in_the_json_when_asked_for(ark: Ark, small: Path) -> None:
    found = ark("eval", small, "--json", "--profile", "ark", "--ablate", "--compare", "ark", "default").json
    assert found["profile"] == "ark"
    for one in (*found["sets"], found["macro"]):
        assert {"static", "bm25"} <= {off["signal"] for off in one["ablation"]}
        assert all(off.keys() >= {*METRICS, "interval"} for off in one["ablation"])
        comparison = one["comparison"]
        assert (comparison["a"], comparison["b"]) == ("ark", "default")
        assert comparison["difference"].keys() >= {*METRICS, "interval"}
        assert len(comparison["won"]) + len(comparison["lost"]) + comparison["tied"] == 4
        for change in (*comparison["won"], *comparison["lost"]):
            assert change.keys() == {"set", "id", "query", "a", "b"}


def test_people_read_tables_of_eighty_columns(ark: Ark, small: Path, tmp_path: Path) -> None:
    other = write_set(tmp_path / "another set with quite a long name")
    found = ark("eval", small, other, "--ablate", "--compare", "bm25", "cosine")
    assert found.code == 0
    assert re.search(r"^small +4 +[01]\.\d{3}  [01]\.\d\d–[01]\.\d\d", found.out, re.MULTILINE)
    assert re.search(r"^  kitchen +2 ", found.out, re.MULTILINE)
    assert re.search(r"^macro +8 ", found.out, re.MULTILINE)
    assert re.search(r"^bm25 +[+-]0\.\d{3}  [+-]0\.\d{3} … [+-]0\.\d{3}", found.out, re.MULTILINE)
    assert re.search(r"\d won +\d lost +\d tied", found.out)
    assert max(cell_len(line) for line in found.out.splitlines()) <= 80


def test_what_cannot_be_used_is_one_sentence_and_a_usage_error(ark: Ark, small: Path, tmp_path: Path) -> None:
    (small / "queries.jsonl").write_text("{}\n")
    found = ark("eval", small)
    assert (found.code, found.out) == (2, "")
    assert found.err.startswith(f"error: {small / 'queries.jsonl'}:1: no _id.\n")
    assert ark("eval", tmp_path).code == ark("eval").code == 2
