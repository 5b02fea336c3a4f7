"""Maximal marginal relevance: what says the same as a hit above it comes later, and that is told (S15)."""

from __future__ import annotations

import pytest

from ark_tui.domain.hits import SearchResult
from ark_tui.domain.query import Mode, Request
from ark_tui.retrieval import run
from tests.corpora import Bench, filled

TEXTS = {
    "gap1.md": "The spectral gap of a reversible chain bounds its mixing time.",
    "gap2.md": "The spectral gap of a reversible chain bounds its mixing time from below.",
    "gap3.md": "The spectral gap of the reversible chain bounds the mixing time well.",
    "bread.md": "How long a dough rests decides the spectral colour of its crust.",
    "graph.md": "Gaps between clusters of a graph: conductance.",
}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return filled(tmp_path_factory.mktemp("home"), TEXTS)


def search(bench: Bench, share: float, mode: Mode = "hybrid", limit: int = 10) -> SearchResult:
    adjust = (f"mmr={share}",)
    return run(
        bench.corpus(), Request("spectral gap mixing", mode, limit, "default", adjust=adjust, below=True)
    )


def paths(result: SearchResult) -> list[str]:
    return [hit.document.path for hit in result.hits]


def test_the_second_hit_is_another_text_where_variety_is_asked_for(bench: Bench) -> None:
    assert {*paths(search(bench, 1.0))[:3]} == {"gap1.md", "gap2.md", "gap3.md"}
    varied = paths(search(bench, 0.3))
    assert varied[0].startswith("gap")
    assert not varied[1].startswith("gap")
    assert sorted(varied) == sorted(TEXTS)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.7, 0.99])
@pytest.mark.parametrize("mode", ["hybrid", "keyword", "semantic"])
def test_the_parts_and_the_factor_give_the_score_and_the_order(
    bench: Bench, share: float, mode: Mode
) -> None:
    result = search(bench, share, mode)
    scores = [hit.score for hit in result.hits]
    assert scores == sorted(scores, reverse=True)
    for hit in result.hits:
        assert hit.summed() == pytest.approx(hit.score)
        assert "mmr" in {factor.name for factor in hit.multipliers}
    assert result.hits[0].multipliers[-1].value == pytest.approx(1.0)


def test_with_one_nothing_changes(bench: Bench) -> None:
    plain = run(bench.corpus(), Request("spectral gap mixing", profile="default", below=True))
    assert [(h.document.path, h.score, h.multipliers) for h in search(bench, 1.0).hits] == [
        (h.document.path, h.score, h.multipliers) for h in plain.hits
    ]


def test_the_order_is_that_of_the_formula(bench: Bench) -> None:
    share, plain = 0.4, search(bench, 1.0)
    index = bench.vectors.open()
    assert index is not None
    score = {hit.document.path: hit.score / plain.hits[0].score for hit in plain.hits}
    with bench.store.read() as lease:
        numbers = {row[1]: int(row[0]) for row in lease.rows("SELECT number, path FROM ark.documents")}
    rows = {path: index.vectors(index.chunks_of(number)[:1])[1][0] for path, number in numbers.items()}
    taken: list[str] = []
    while len(taken) < len(score):
        worth = {
            path: share * score[path]
            + (1 - share) * (1 - max((max(0.0, float(rows[path] @ rows[one])) for one in taken), default=0.0))
            for path in score
            if path not in taken
        }
        taken.append(max(worth, key=worth.__getitem__))
    assert paths(search(bench, share)) == taken


def test_fewer_hits_are_the_first_of_more(bench: Bench) -> None:
    assert paths(search(bench, 0.5, limit=2)) == paths(search(bench, 0.5))[:2]
