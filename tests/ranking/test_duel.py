"""Two hits side by side: their differences, and what would make them trade places."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from math import isclose
from pathlib import Path

import pytest

from ark_tui.domain.documents import Document
from ark_tui.domain.duels import Duel
from ark_tui.domain.errors import NotFound, UsageError
from ark_tui.domain.profile import Profile
from ark_tui.domain.query import Request
from ark_tui.retrieval import run
from ark_tui.retrieval.duel import fought, score, trades
from tests.corpora import Bench, filled

TEXTS = {
    "gap.md": "The spectral gap of a chain bounds its mixing time.",
    "walk.md": "Random walks mix when the gap is wide, and the gap is seldom wide.",
    "expander.md": "Expander graphs keep a spectral gap however large they grow.",
    "card.md": "Shuffling cards is a random walk with a mixing time.",
    **{f"filler-{n}.md": f"Flour, water and salt of recipe {n}." for n in range(20)},
}
QUERY = "spectral gap of a random walk"


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return filled(tmp_path_factory.mktemp("duel") / "home", TEXTS)


def documents(bench: Bench, profile: str) -> list[Document]:
    return [hit.document for hit in run(bench.corpus(), Request(QUERY, profile=profile)).hits]


def duels(bench: Bench, profile: str) -> list[Duel]:
    found = combinations(documents(bench, profile), 2)
    return [fought(bench.corpus(), Request(QUERY, profile=profile), one, other) for one, other in found]


@pytest.mark.parametrize("profile", ["default", "ark"])
def test_the_differences_add_up_and_the_higher_one_stands_first(bench: Bench, profile: str) -> None:
    for duel in duels(bench, profile):
        apart = sum(one.difference for one in duel.signals) + duel.multiplied
        assert isclose(apart, duel.first.score - duel.second.score, abs_tol=1e-9)
        assert duel.first.rank < duel.second.rank
        assert duel.sentence.startswith(("Above “", "Level with “"))


@pytest.mark.parametrize("profile", ["default", "ark"])
def test_at_the_even_weight_of_a_trade_the_scores_are_equal(bench: Bench, profile: str) -> None:
    found = [(duel, trade) for duel in duels(bench, profile) for trade in trades(duel.first, duel.second)]
    assert found
    for duel, trade in found:
        mine, theirs = (score(hit, trade.signal, trade.even) for hit in (duel.first, duel.second))
        assert isclose(mine, theirs, rel_tol=1e-9, abs_tol=1e-9)


def test_the_first_trade_is_the_smallest_of_those_with_which_a_search_turns_them(bench: Bench) -> None:
    turned = 0
    for duel in duels(bench, "default"):
        anew = [trade for trade in duel.trades if trade.anew]
        if anew:
            assert duel.trades[0] == min(anew, key=lambda trade: abs(trade.change))
            request = Request(QUERY, profile="default", adjust=(anew[0].adjust,), below=True, limit=100)
            order = [hit.document.id for hit in run(bench.corpus(), request).hits]
            assert order.index(duel.second.document.id) < order.index(duel.first.document.id)
            turned += 1
    assert turned > 2


def test_the_weight_of_a_time_is_set_as_the_profile_has_it(tmp_path: Path) -> None:
    texts = {
        "of.md": "It was 2026-03-14.", "since.md": "Office plans, office plans, in march or later.",
        **{f"filler-{n}.md": f"Flour of recipe {n}." for n in range(20)},
    }  # fmt: skip
    home = filled(tmp_path / "home", texts)
    profile = Profile("times", weights={"bm25": 1.0, "temporal": 1.0})
    corpus = home.corpus(profiles={"times": profile})
    request = Request("office plans in March 2026", profile="times")
    one, other = (hit.document for hit in run(corpus, request).hits)
    duel = fought(corpus, request, one, other)
    trade = next(trade for trade in duel.trades if trade.signal == "temporal")
    assert trade.weight == 2.0  # times of a month count twice
    assert float(trade.adjust.removeprefix("weight.temporal=")) == pytest.approx(trade.even / 2, abs=0.002)
    assert trade.anew


def test_a_word_that_one_of_the_two_lacks_is_named_with_its_rarity(bench: Bench) -> None:
    by_path = {document.path: document for document in documents(bench, "default")}
    duel = fought(
        bench.corpus(), Request(QUERY, profile="default"), by_path["expander.md"], by_path["card.md"]
    )
    lacking = {(one.word, one.document, one.passages) for one in duel.lacking}
    expander, card = by_path["expander.md"].id, by_path["card.md"].id
    assert lacking == {
        ("spectral", card, 2),
        ("gap", card, 3),
        ("random", expander, 2),
        ("walk", expander, 2),
    }
    assert "“card” lacks “spectral” (in 2 of 24 passages)." in duel.says


def test_where_the_first_is_better_in_everything_no_weight_turns_them(tmp_path: Path) -> None:
    home = filled(
        tmp_path / "home", {"both.md": "spectral gap", "one.md": "gap of another kind", "no.md": "rye"}
    )
    corpus = home.corpus(profiles={"plain": Profile("plain", weights={"bm25": 1.0, "coverage": 1.0})})
    request = Request("spectral gap", profile="plain")
    first, second = (hit.document for hit in run(corpus, request).hits)
    duel = fought(corpus, request, second, first)
    assert duel.first.document == first
    assert duel.trades == ()
    assert duel.says[0] == "No change of a single weight makes the two trade places."


def test_a_document_is_not_compared_with_itself_nor_with_what_is_no_candidate(bench: Bench) -> None:
    first, *_ = documents(bench, "default")
    with pytest.raises(UsageError, match="same document"):
        fought(bench.corpus(), Request(QUERY, profile="default"), first, first)
    away = replace(first, id="0" * 16, title="Rye bread")
    with pytest.raises(NotFound, match="Rye bread is not among the candidates"):
        fought(bench.corpus(), Request(QUERY, profile="default"), first, away)
