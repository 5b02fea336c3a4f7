"""Graph expansion: what links lead to from the best documents, as a signal of its own (S9)."""

from __future__ import annotations

import pytest

from ark_tui.domain.hits import Hit
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
