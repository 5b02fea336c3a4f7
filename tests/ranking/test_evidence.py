"""Scores whose parts add up, the evidence of each part (S1, S24), and the chance of a hit."""

from __future__ import annotations

import json
from dataclasses import replace
from math import exp, isclose
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ark_tui.domain.hits import Hit
from ark_tui.domain.profile import Chance
from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.operations.encoding import encoded
from ark_tui.retrieval import chance, run
from ark_tui.settings import ranking
from tests.corpora import Bench, filled

NOTES = {
    "gap.md": "The spectral gap bounds the mixing time of a random walk.",
    "walk.md": "A random walk mixes fast. Mixing has a time, and the time has a bound.",
    "host.md": "The printer answers at 192.168.1.1 on the second floor.",
    "other.md": "The scanner answers at 192.168.1.11, and 192.168.1.12 is free. 192.168.1.1.5 is none.",
}


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return filled(tmp_path, NOTES)


@pytest.mark.parametrize("query", ["spectral gap", "what changed in March 2026?", "notes not about tea"])
@pytest.mark.parametrize("profile", ["default", "ark"])
def test_scores_lie_between_0_and_1_and_their_parts_add_up(sample: Engine, query: str, profile: str) -> None:
    hits = sample.search(Request(query, profile=profile, below=True)).hits
    assert hits
    for hit in hits:
        assert 0 <= hit.score <= 1
        assert hit.summed() == pytest.approx(hit.score, abs=1e-9)


def test_a_query_that_stands_word_for_word_in_a_document_has_it_first(bench: Bench) -> None:
    found = run(bench.corpus(), Request("time has a bound", profile="default"))
    assert found.hits[0].document.path == "walk.md"
    assert next(part for part in found.hits[0].parts if part.name == "verbatim").raw == 1.0


def test_an_address_leads_before_longer_ones_that_begin_with_it(bench: Bench) -> None:
    found = run(bench.corpus(), Request("192.168.1.1", profile="default"))
    assert found.hits[0].document.path == "host.md"


def test_each_part_shows_its_evidence_and_a_sentence_sums_it_up(bench: Bench) -> None:
    hit = run(bench.corpus(), Request("spectral gap", profile="default", explain=True)).hits[0]
    parts = {part.name: part for part in hit.parts}
    (first, *_) = parts["bm25"].reasons
    assert first.found.casefold() in {"spectral", "gap"}
    start, end = first.spans[0]
    assert NOTES["gap.md"][start:end].casefold() == first.asked
    assert hit.why is not None
    assert first.asked in hit.why.sentence
    assert hit.why.sentence.endswith(".")


def test_expansion_terms_are_words_that_several_texts_have_and_no_numbers(tmp_path: Path) -> None:
    bench = filled(tmp_path, {
        "a.md": "A deadlock of the mutex, error 00005, seen beside a microphone. The scheduler waits.",
        "b.md": "A deadlock of another mutex 00005. The scheduler waits for ever.",
        "c.md": "Error 00005 of a scheduler.",
    })  # fmt: skip
    terms = run(bench.corpus(), Request("mutex deadlock", profile="ark")).expansion.terms
    assert "scheduler" in terms
    assert not {"00005", "microphone"} & {*terms}


RULE = ranking.shipped()["default"].chance or Chance()


def falling(least: int) -> st.SearchStrategy[list[float]]:
    """Scores as a list has them."""
    found = st.lists(st.floats(0.001, 1), min_size=least, max_size=50)
    return found.map(lambda some: sorted(some, reverse=True))


scores = falling(1)
share = st.floats(0, 1)
log_odds = st.floats(-9, 12)


def said(odds: chance.Odds) -> float:
    """The log-odds."""
    return sum(one.contribution for one in odds)


def hits(sample: Engine, query: str, **more: object) -> tuple[Hit, ...]:
    return sample.search(Request(query, below=True, unlogged=True, **more)).hits  # type: ignore[arg-type]


@given(scores=scores, closeness=share, log_odds=log_odds)
def test_the_parts_make_the_log_odds_and_follow_the_order(
    scores: list[float], closeness: float, log_odds: float
) -> None:
    found = chance.odds(scores, closeness, log_odds, RULE)
    for one in found:
        for part in one:
            weight = 1.0 if part.name == "doubt" else getattr(RULE, part.name)
            assert isclose(part.contribution, weight * part.value, abs_tol=1e-12)
    told = [said(one) for one in found]
    assert told == sorted(told, reverse=True)


@given(scores=scores, closeness=share, log_odds=log_odds, by=st.floats(0, 1), data=st.data())
def test_a_better_score_never_lowers_the_chance(
    scores: list[float], closeness: float, log_odds: float, by: float, data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(scores) - 1))
    better = scores[at] + by
    raised = sorted([*scores[:at], better, *scores[at + 1 :]], reverse=True)
    before = said(chance.odds(scores, closeness, log_odds, RULE)[at])
    after = said(chance.odds(raised, closeness, log_odds, RULE)[raised.index(better)])
    assert after >= before - 1e-9


@given(scores=scores, closeness=share, log_odds=log_odds, more=share, surer=st.floats(0, 5))
def test_closer_words_and_a_surer_verdict_never_lower_it(
    scores: list[float], closeness: float, log_odds: float, more: float, surer: float
) -> None:
    before = chance.odds(scores, closeness, log_odds, RULE)
    after = chance.odds(scores, min(1.0, closeness + more), log_odds + surer, RULE)
    assert all(said(new) >= said(old) for old, new in zip(before, after, strict=True))


@given(
    scores=falling(chance.REST + 1),
    worse=st.lists(st.floats(0, 1), max_size=20),
    closeness=share,
    log_odds=log_odds,
)
def test_what_comes_to_the_end_of_a_list_changes_no_chance(
    scores: list[float], worse: list[float], closeness: float, log_odds: float
) -> None:
    grown = scores + sorted((one * scores[-1] for one in worse), reverse=True)
    before = chance.odds(scores, closeness, log_odds, RULE)
    assert chance.odds(grown, closeness, log_odds, RULE)[: len(scores)] == before


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
