"""Names in a query: what counts as one, and the weights that a search takes for them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.retrieval import naming
from ark_tui.settings import load


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("when did Caroline go to the museum", ["Caroline"]),
        ("What did Anna-Maria Berger say?", ["Anna", "Maria", "Berger"]),
        ("Caroline", []),  # it may be the beginning of any question
        ("It broke. Why does it restart?", []),
        ("what does an API cost with RRF", []),  # short forms are words as others are
        ("when did caroline go to the museum", []),
        ("wie lange läuft das Zertifikat im Keller", []),  # German has capitals for every noun
        ("mail from Żaneta", ["Żaneta"]),
    ],
)
def test_what_is_written_as_a_name_is_one(query: str, names: list[str]) -> None:
    assert naming.names(query) == names


@pytest.fixture(scope="module")
def engine(sample_home: Path) -> Iterator[Engine]:
    (sample_home / "config.toml").write_text("[profiles.trial.named]\nbm25 = 0.5\n", "utf-8")
    with Engine(load(sample_home, environ={})) as engine:
        yield engine


def weight(engine: Engine, query: str, *adjust: str) -> float:
    found = engine.search(Request(query, profile="trial", adjust=adjust))
    (weight,) = {part.weight for part in found.hits[0].parts if part.name == "bm25"}
    return weight


def test_a_query_with_a_name_is_ranked_and_explained_by_the_weights_for_names(engine: Engine) -> None:
    others = 0.77  # the weights of the other signals of `default`, in all
    assert weight(engine, "what Fiedler found about the gap") == pytest.approx(0.5 / (0.5 + others))
    assert weight(engine, "what fiedler found about the gap") == pytest.approx(0.2 / (0.2 + others))


def test_a_weight_that_somebody_gives_for_one_search_counts_with_names_too(engine: Engine) -> None:
    for change, bm25 in (("weight.bm25=0.3", 0.3), ("named.bm25=0.4", 0.4)):
        assert weight(engine, "what Fiedler found about the gap", change) == pytest.approx(
            bm25 / (bm25 + 0.77)
        )
