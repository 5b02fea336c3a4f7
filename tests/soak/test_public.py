"""What was published of a public set, measured anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from ark_tui.domain.evaluation import Plan
from ark_tui.engine import evaluating
from ark_tui.settings import load
from tests.evaluation.conftest import SHARED
from tests.evaluation.test_eval import published
from tests.soak import figures

pytestmark = pytest.mark.soak


def test_the_baseline_of_cranfield_is_the_published_one(tmp_path: Path) -> None:
    """BM25 of tantivy over whole documents has .374; ours ranks chunks."""
    if not (SHARED / "cranfield").is_dir():
        pytest.skip("the public set cranfield is not beside the project")
    passed = figures.begin("The published baseline of cranfield")
    done = evaluating.evaluate(load(tmp_path / "own", environ={}), Plan((SHARED / "cranfield",)))
    published(done, pytest.approx(0.377, abs=0.015))
    passed(f"nDCG@10 of BM25 {done.sets[0].baselines['bm25'].of['ndcg_10'].mean:.3f}, and ours is better")
