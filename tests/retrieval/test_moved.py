"""Each re-ranker that is on shows what it moved: its name, the rank before it and the rank after it."""

from __future__ import annotations

import pytest

from ark_tui.domain.hits import SearchResult
from ark_tui.domain.query import Request
from ark_tui.operations.encoding import encoded
from ark_tui.retrieval import run
from tests.corpora import Bench, filled
from tests.retrieval.test_rerank import Told

TEXTS = {
    "gap1.md": "The spectral gap of a reversible chain bounds its mixing time.",
    "gap2.md": "The spectral gap of a reversible chain bounds its mixing time from below.",
    "gap3.md": "The spectral gap of the reversible chain bounds the mixing time well.\n\nA gap, mixing.",
    "bread.md": "How long a dough rests decides the spectral colour of its crust, and the mixing.",
    "graph.md": "Gaps between clusters of a graph: conductance. A chain on it has a mixing time.",
    "salt.md": "Salt and water and a gap of time, mixing.",
}
QUERY = "spectral gap mixing"


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return filled(tmp_path_factory.mktemp("home"), TEXTS)


def ranks(result: SearchResult) -> dict[str, int]:
    return {hit.document.path: hit.rank for hit in result.hits}


def asked(bench: Bench, *adjust: str, rerank: bool = False) -> SearchResult:
    told = Told(-3.0, 2.0, -1.0, 3.0, 0.0, -2.0)
    request = Request(QUERY, profile="default", adjust=adjust, rerank=rerank)
    return run(bench.corpus(reranker=lambda _: told), request)


CHAIN = (
    ("maxsim", ("weight.maxsim=0",), False),
    ("rerank", (), False),
    ("mmr", (), True),
)
"""A re-ranker, and how to search with those before it alone."""


def test_the_rank_before_each_re_ranker_is_that_of_a_search_without_it_and_those_after(bench: Bench) -> None:
    result = asked(bench, "mmr=0.3", rerank=True)
    alone = {name: ranks(asked(bench, *adjust, rerank=on)) for name, adjust, on in CHAIN}
    names = [name for name, _, _ in CHAIN]
    moved = dict.fromkeys(names, 0)
    for hit in result.hits:
        path = hit.document.path
        steps = [*(alone[name][path] for name in names), hit.rank]
        expected = [(name, a, b) for name, a, b in zip(names, steps[:-1], steps[1:], strict=True) if a != b]
        assert [(one.by, one.before, one.after) for one in hit.moved] == expected
        for name, _, _ in expected:
            moved[name] += 1
    assert all(moved.values())  # each of them has moved something


def test_a_search_without_a_re_ranker_says_nothing_of_any(bench: Bench) -> None:
    result = asked(bench, "weight.maxsim=0")
    assert len(result.hits) == len(TEXTS)
    assert [hit.moved for hit in result.hits] == [()] * len(TEXTS)
    assert "moved" not in encoded(result)["hits"][0]


def test_json_names_who_moved_it_from_where_to_where(bench: Bench) -> None:
    result = asked(bench, rerank=True)
    for told, hit in zip(encoded(result)["hits"], result.hits, strict=True):
        assert told.get("moved", []) == [
            {"by": one.by, "from": one.before, "to": one.after} for one in hit.moved
        ]
    assert any(one.by == "rerank" for hit in result.hits for one in hit.moved)
