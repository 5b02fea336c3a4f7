"""The chance of a hit: what it is made of, and what never changes it."""

from __future__ import annotations

import json
from dataclasses import replace
from math import exp, isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ark_tui.domain.hits import Hit
from ark_tui.domain.profile import Chance
from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.operations.encoding import encoded
from ark_tui.retrieval import chance
from ark_tui.settings import ranking

RULE = ranking.shipped()["default"].chance or Chance()


def falling(least: int) -> st.SearchStrategy[list[float]]:
    """Scores as a list has them."""
    found = st.lists(st.floats(0.001, 1), min_size=least, max_size=50)
    return found.map(lambda some: sorted(some, reverse=True))


scores = falling(1)
share = st.floats(0, 1)
standing = st.floats(-9, 12)


def said(odds: chance.Odds) -> float:
    """The log-odds."""
    return sum(one.contribution for one in odds)


def hits(sample: Engine, query: str, **more: object) -> tuple[Hit, ...]:
    return sample.search(Request(query, below=True, unlogged=True, **more)).hits  # type: ignore[arg-type]


@given(scores=scores, closeness=share, standing=standing)
def test_the_parts_make_the_log_odds_and_follow_the_order(
    scores: list[float], closeness: float, standing: float
) -> None:
    found = chance.odds(scores, closeness, standing, RULE)
    for one in found:
        for part in one:
            weight = 1.0 if part.name == "doubt" else getattr(RULE, part.name)
            assert isclose(part.contribution, weight * part.value, abs_tol=1e-12)
    told = [said(one) for one in found]
    assert told == sorted(told, reverse=True)


@given(scores=scores, closeness=share, standing=standing, by=st.floats(0, 1), data=st.data())
def test_a_better_score_never_lowers_the_chance(
    scores: list[float], closeness: float, standing: float, by: float, data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(scores) - 1))
    better = scores[at] + by
    raised = sorted([*scores[:at], better, *scores[at + 1 :]], reverse=True)
    before = said(chance.odds(scores, closeness, standing, RULE)[at])
    after = said(chance.odds(raised, closeness, standing, RULE)[raised.index(better)])
    assert after >= before - 1e-9


@given(scores=scores, closeness=share, standing=standing, more=share, surer=st.floats(0, 5))
def test_closer_words_and_a_surer_verdict_never_lower_it(
    scores: list[float], closeness: float, standing: float, more: float, surer: float
) -> None:
    before = chance.odds(scores, closeness, standing, RULE)
    after = chance.odds(scores, min(1.0, closeness + more), standing + surer, RULE)
    assert all(said(new) >= said(old) for old, new in zip(before, after, strict=True))


@given(
    scores=falling(chance.REST + 1),
    worse=st.lists(st.floats(0, 1), max_size=20),
    closeness=share,
    standing=standing,
)
def test_what_comes_to_the_end_of_a_list_changes_no_chance(
    scores: list[float], worse: list[float], closeness: float, standing: float
) -> None:
    grown = scores + sorted((one * scores[-1] for one in worse), reverse=True)
    before = chance.odds(scores, closeness, standing, RULE)
    assert chance.odds(grown, closeness, standing, RULE)[: len(scores)] == before


def test_hits_carry_their_chance_in_the_order_of_their_scores(sample: Engine) -> None:
    found = hits(sample, "spectral gap of a chain")
    told = [hit.chance for hit in found]
    assert None not in told
    assert told == sorted(told, reverse=True)  # type: ignore[type-var]
    first = found[0]
    assert first.chance == pytest.approx(1 / (1 + exp(-said(first.odds))))
    assert json.loads(json.dumps(encoded(first)))["chance"] == first.chance
    assert first.percent == f"{round(100 * (first.chance or 0))} %"


def test_what_is_about_nothing_here_has_less_of_a_chance(sample: Engine) -> None:
    known, strange = hits(sample, "spectral gap of a chain")[0], hits(sample, "sourdough hydration oven")[0]
    assert (known.chance or 0) > 2 * (strange.chance or 0)


@pytest.mark.parametrize(
    "request_",
    [
        {"profile": "ark"},
        {"mode": "keyword"},
        {"adjust": ("chance=off",)},
        {"adjust": ("fusion=rrf",)},
        {"adjust": ("weight.maxsim=0",)},
    ],
)
def test_where_it_was_not_fitted_there_is_none(sample: Engine, request_: dict[str, object]) -> None:
    found = hits(sample, "spectral gap of a chain", **request_)
    assert found
    assert all(hit.chance is None and not hit.percent for hit in found)
    assert "chance" not in encoded(found[0])


def test_its_weights_can_be_changed_for_one_search(sample: Engine) -> None:
    query = "spectral gap of a chain"
    plain, changed = (hits(sample, query, adjust=adjust)[0] for adjust in ((), ("chance.start=0",)))
    assert said(changed.odds) == pytest.approx(said(plain.odds) - RULE.start)
    assert replace(changed, odds=()).score == plain.score
