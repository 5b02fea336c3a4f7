"""The tables of docs/retrieval.md are written by a command."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import retrieval
from tests.evaluation.conftest import Evaluate

PAGE = Path(__file__).parents[2] / "docs" / "retrieval.md"


def rows(table: str) -> list[list[str]]:
    lines = [line for line in table.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_the_tables_hold_every_set_metric_baseline_and_signal(evaluate: Evaluate, small: Path) -> None:
    done = evaluate(small, small, ablate=True)
    table = rows(retrieval.results(done))
    assert table[0] == ["set", "queries", "default", "bm25", "cosine", "ark"]
    assert [row[0] for row in table[2:5]] == ["small", "small-2", "macro"]
    best = done.macro.measures.of["ndcg_10"]
    assert table[4][2] == f"{best.mean:.3f} ({best.low:.3f}–{best.high:.3f})"
    assert ["small-2", "kitchen", "2"] in [row[:3] for row in table]
    signals = rows(retrieval.ablation(done))
    assert signals[0] == ["without", "small", "small-2", "macro", "95 %"]
    assert [row[0] for row in signals[2:]] == [off.signal for off in done.macro.ablation]


def test_only_what_stands_between_the_marks_is_replaced() -> None:
    page = "# A\n\n<!-- results -->\nold\n<!-- /results -->\n\nB\n"
    once = retrieval.replaced(page, "results", "| new |\n")
    assert once == "# A\n\n<!-- results -->\n\n| new |\n\n<!-- /results -->\n\nB\n"
    assert retrieval.replaced(once, "results", "| new |\n") == once


@pytest.mark.parametrize(
    "page", ["", "<!-- results -->\n", "<!-- results -->\n<!-- results -->\n<!-- /results -->\n"]
)
def test_a_page_without_its_marks_is_left_alone(page: str) -> None:
    with pytest.raises(SystemExit):
        retrieval.replaced(page, "results", "| new |\n")


def test_the_page_has_its_mark() -> None:
    assert retrieval.replaced(PAGE.read_text("utf-8"), "results", "| new |\n")
