"""What links lead to from the best documents, as a signal of its own (S9), and variety of the hits."""

from __future__ import annotations

import pytest

from ark_tui.domain.hits import Hit, SearchResult
from ark_tui.domain.query import Mode, Request
from ark_tui.retrieval import run
from tests.corpora import Bench, filled
from tests.links.conftest import Place

LINKED = ("fusion=rrf", "weight.static=2", "weight.bm25=1", "weight.graph=1", "graph.floor=0.1")
ABOUT = "mixing times of reversible chains"


@pytest.fixture
def chain(place: Place) -> Place:
    """a → b → c → d, all about the same; e is, too, and nobody links to it; f is linked and is not."""
    place.write("a.md", f"# A\n\nSpectral gaps bound {ABOUT}. [[b]] [[f]]")
    place.write("b.md", "# B\n\nCouplings bound the mixing of chains as well. [[c]]")
    place.write("c.md", "# C\n\nChains mix in time, says the reversible bound. [[d]]")
    place.write("d.md", "# D\n\nMixing chains with a reversible kernel.")
    place.write("e.md", "# E\n\nMixing chains with a kernel that reverses.")
    place.write("f.md", "# F\n\nSourdough wants flour and water.")
    place.index()
    return place


def graph(hit: Hit) -> float:
    return next((part.raw for part in hit.parts if part.name == "graph"), 0.0)


def reached(place: Place, *more: str, hops: int | None = None) -> dict[str, float]:
    """The graph's raw values by path, from the single best document."""
    adjust = ("graph.seeds=1", *LINKED, *more)
    hits = place.hits(f"spectral {ABOUT}", profile="default", adjust=adjust, hops=hops, limit=20)
    assert all(hit.summed() == pytest.approx(hit.score) for hit in hits.values())
    return {path: graph(hit) for path, hit in hits.items() if graph(hit)}


def test_two_hops_lead_to_what_is_about_the_query_and_to_nothing_else(chain: Place) -> None:
    assert reached(chain).keys() == {"b.md", "c.md"}


def test_hops_asked_for_widen_or_narrow_it(chain: Place) -> None:
    assert reached(chain, hops=1).keys() == {"b.md"}
    assert reached(chain, hops=3).keys() == {"b.md", "c.md", "d.md"}
    assert reached(chain, hops=0) == {}


def test_the_value_lies_between_the_own_cosine_and_the_score_of_where_it_came_from(chain: Place) -> None:
    hits = chain.hits(f"spectral {ABOUT}", profile="default", adjust=("graph.seeds=1", *LINKED), limit=20)
    for path, share in (("b.md", 1 / 2), ("c.md", 1 / 4)):
        cosine = next(part.raw for part in hits[path].parts if part.name == "static")
        assert graph(hits[path]) == pytest.approx((1 - share) * cosine + share * 1.0, abs=1e-6)


def test_below_the_floor_there_is_none(chain: Place) -> None:
    assert reached(chain, "graph.floor=0.99") == {}


def test_the_best_ones_lift_each_other_and_not_themselves(chain: Place) -> None:
    assert reached(chain, "graph.seeds=5", hops=1).keys() == {"a.md", "b.md", "c.md", "d.md"}
    assert "a.md" not in reached(chain, hops=2)  # never back to where it began


def test_a_search_that_asks_for_hops_has_the_signal_in_any_profile(chain: Place) -> None:
    adjust = ("graph.floor=0.1",)
    plain = chain.search(ABOUT, profile="default", adjust=adjust)
    assert "graph" not in {part.name for part in plain.hits[0].parts}
    asked = chain.search(ABOUT, profile="default", adjust=adjust, hops=2)
    assert any(part.contribution for hit in asked.hits for part in hit.parts if part.name == "graph")


def test_where_nothing_is_linked_the_lamps_rest(place: Place) -> None:
    place.write("a.md", f"# A\n\n{ABOUT}")
    place.index()
    result = place.search(ABOUT, profile="default", hops=2)
    assert {lamp.signal: lamp.state for lamp in result.lamps if lamp.signal == "graph"} == {"graph": "idle"}


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
