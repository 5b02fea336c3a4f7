"""Receipts name the models that had a say, and verifying tells when they are others."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import transformers
from tests.receipts.conftest import Desk, causes

QUERY = "gap of the chain, mixing"  # the tiny model of pairs shares words with it


@pytest.fixture
def reranked(desk: Desk, tmp_path: Path) -> Desk:
    """With a receipt of a search that a re-ranker has read."""
    folder = transformers.pairs(tmp_path / "pairs")
    desk.edit(lambda engine: engine.models.add("pairs", folder))
    desk.take(QUERY, rerank=True)
    return desk


def test_a_re_ranked_search_verifies_to_the_last_bit(reranked: Desk) -> None:
    told = reranked.read()
    assert told["models"]["rerank"].startswith("pairs ")
    assert any(one["by"] == "rerank" for hit in told["hits"] for one in hit.get("moved", ()))
    found = reranked.verify()
    assert (found.state, found.causes) == ("same", ())


def test_a_re_ranker_that_is_gone_is_named(reranked: Desk) -> None:
    reranked.edit(lambda engine: engine.models.remove("pairs"))
    found = reranked.verify()
    assert found.state in ("shifted", "changed")
    assert causes(found).keys() == {"model"}
    assert "rerank was on, and is off: No re-ranker is here" in causes(found)["model"]


def test_another_re_ranker_is_named(reranked: Desk, tmp_path: Path) -> None:
    other = transformers.pairs(tmp_path / "others", most=8)
    reranked.edit(lambda engine: engine.models.add("others", other))
    said = causes(reranked.verify())["model"]
    assert "The model of rerank was pairs " in said
    assert ", and is others " in said


def test_another_embedding_model_is_named(desk: Desk, tmp_path: Path) -> None:
    before = desk.take()["models"]["vectors"]
    folder = transformers.vectors(tmp_path / "vectors")

    def go_over(engine: object) -> None:
        engine.models.add("tiny", folder)  # type: ignore[attr-defined]
        engine.models.use("tiny")  # type: ignore[attr-defined]

    desk.edit(go_over)
    found = desk.verify()
    assert f"The model of vectors was {before}, and is " in causes(found)["model"]
    assert "The profile was default, and is model." in causes(found)["weights"]
