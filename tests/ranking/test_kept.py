"""A search whose parts are kept ranks as a search does, whatever is weighed otherwise."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ark_tui.domain.profile import Access, Decay, Profile
from ark_tui.domain.query import Mode, Request
from ark_tui.retrieval import kept, run
from ark_tui.settings import ranking
from tests.corpora import Bench
from tests.ranking.test_properties import FREE, bench, listed, profiles, queries

__all__ = ["bench"]

Draw = st.DataObject
DEFAULT = ranking.shipped()["default"]


def weighed(draw: Draw, profile: Profile) -> Profile:
    """The same profile with other numbers of those that only weigh."""
    return replace(
        profile,
        weights={name: draw.draw(st.floats(0.01, 3)) for name in profile.weights},
        fusion=draw.draw(st.sampled_from(["convex", "rrf"])),
        k=draw.draw(st.floats(0, 100)),
        mmr=draw.draw(st.sampled_from([1.0, 0.6])),
        decay=draw.draw(st.none() | st.builds(Decay, st.floats(0, 1), st.floats(0, 2))),
        access=draw.draw(st.none() | st.just(Access())),
        feedback=replace(profile.feedback, merge=draw.draw(st.sampled_from(["sum", "maximum"]))),
    )


def check_that_it_ranks_as_a_search(
    bench: Bench, several: list[Profile], query: str, mode: Mode = "hybrid"
) -> None:
    several = [replace(profile, name="any") for profile in several]
    request = Request(query, mode, 50, "any")
    corpus = bench.corpus()
    once = kept.Kept(corpus, request, several[0])
    for profile in (*several, *reversed(several)):  # and back again, when all is known
        searched = run(replace(corpus, profiles={"any": profile}), replace(request, below=True))
        ranked = once.ranked(profile).answer()
        assert listed(ranked) == listed(searched)
        assert [hit.parts for hit in ranked.hits] == [hit.parts for hit in searched.hits]
        assert [hit.multipliers for hit in ranked.hits] == [hit.multipliers for hit in searched.hits]
        assert {(lamp.signal, lamp.state) for lamp in ranked.lamps} == {
            (lamp.signal, lamp.state) for lamp in searched.lamps
        }


@FREE
@given(
    data=st.data(), profile=profiles, query=queries, mode=st.sampled_from(["hybrid", "keyword", "semantic"])
)
def test_what_only_weighs_otherwise_gives_the_order_and_the_scores_of_a_search(
    bench: Bench, data: Draw, profile: Profile, query: str, mode: Mode
) -> None:
    check_that_it_ranks_as_a_search(
        bench, [profile, *(weighed(data, profile) for _ in range(3))], query, mode
    )


@FREE
@given(data=st.data(), name=st.sampled_from(sorted(ranking.shipped())), query=queries)
def test_the_shipped_profiles_are_summed_anew_as_a_search_sums_them(
    bench: Bench, data: Draw, name: str, query: str
) -> None:
    shipped = ranking.shipped()[name]
    check_that_it_ranks_as_a_search(bench, [shipped, *(weighed(data, shipped) for _ in range(3))], query)


def test_a_query_with_a_name_is_weighed_as_a_search_weighs_it(bench: Bench) -> None:
    model = ranking.shipped()["model"]
    other = replace(model, weights={**model.weights, "bm25": 0.4}, named={"bm25": 0.2})
    check_that_it_ranks_as_a_search(bench, [replace(model, named={"bm25": 0.9}), other], "the bread of Anna")


def test_filters_alone_are_listed_as_a_search_lists_them(bench: Bench) -> None:
    check_that_it_ranks_as_a_search(bench, [DEFAULT, replace(DEFAULT, decay=Decay())], "tag:red")


@pytest.mark.parametrize(
    "change",
    ["weight.bm25=0", "weight.graph=0.1", "boost.title=2", "feedback.hits=5", "graph.floor=0.2", "depth=50"],
)
def test_what_changes_which_texts_are_looked_at_asks_the_indexes_for_something_else(change: str) -> None:
    assert kept.asked(ranking.changed(DEFAULT, (change,))) != kept.asked(DEFAULT)


@pytest.mark.parametrize("change", ["weight.bm25=0.5", "decay.rate=0.2", "mmr=0.5", "feedback.merge=maximum"])
def test_what_only_weighs_asks_the_indexes_for_the_same(change: str) -> None:
    assert kept.asked(ranking.changed(DEFAULT, (change,))) == kept.asked(DEFAULT)
