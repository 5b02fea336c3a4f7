"""`fit --mine`: weights follow what was judged, and are refused where they cannot be shown to be better."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np
import pytest

from ark_tui.domain.errors import UsageError
from ark_tui.domain.evaluation import Plan
from ark_tui.domain.query import Request
from ark_tui.domain.tuning import Tuning
from ark_tui.engine import Engine, evaluating, fitting
from ark_tui.evaluation.fitting import Graded, fitted
from ark_tui.operations import lab
from ark_tui.operations.call import Call
from ark_tui.settings import load
from tests.lab.conftest import copied, questions

STATIC = tuple(
    f"weight.{name}={0.9 if name == 'static' else 0.005}"
    for name in ("bm25", "coverage", "static", "idf", "rocchio", "expanded", "neighbour", "maxsim")
)
DEFAULT = Tuning("default")


def judge_what_a_profile_finds_first(engine: Engine, changes: tuple[str, ...], count: int) -> None:
    for query in questions(count):
        first = engine.search(Request(query, adjust=changes, below=True)).hits[0]
        engine.curation.judge(query, first.document.id, 2)


def judge_at_random(engine: Engine, count: int) -> None:
    chance = Random(5)
    for query in questions(count):
        hits = engine.search(Request(query, limit=20, below=True)).hits
        engine.curation.judge(query, chance.choice(hits).document.id, 1)


@pytest.fixture(scope="module")
def found_first(sampled: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which was judged what another profile finds first; only to be copied."""
    home = tmp_path_factory.mktemp("judged") / "home"
    with copied(sampled, home) as engine:
        judge_what_a_profile_finds_first(engine, STATIC, 40)
    return home


@pytest.fixture
def judged(found_first: Path, home: Path) -> Iterator[Engine]:
    """A copy of that home."""
    with copied(found_first, home) as engine:
        yield engine


def test_weights_move_towards_the_signal_by_which_was_judged_and_are_taken(judged: Engine) -> None:
    found = fitting.fit(judged.lab, DEFAULT)
    assert not found.refused
    assert found.weights["static"] > 2 * found.before["static"]
    assert found.weights["neighbour"] < found.before["neighbour"]
    change = found.measures.change.of["ndcg_10"]
    assert change.low > 0
    assert found.measures.one.of["ndcg_10"].mean >= found.bm25.of["ndcg_10"].mean


def test_judgments_without_a_pattern_are_refused_with_the_figure_and_nothing_is_kept_of_them(
    engine: Engine,
) -> None:
    judge_at_random(engine, 40)
    found = lab.fit(Call(engine, person=True), mine=True, save="mine")
    assert not found.saved
    assert "mine" not in load(engine.settings.home.path, environ={}).profiles
    change = found.measures.change.of["ndcg_10"]
    assert change.low <= 0
    assert f"{change.mean:+.3f} ({change.low:+.3f} … {change.high:+.3f})" in found.refused


def test_weights_below_bm25_are_refused_however_much_better_than_those_before(engine: Engine) -> None:
    """What is judged is what BM25 finds first: a profile far from it gets better, and not as good."""
    plain = engine.settings.profiles["default"]
    away = tuple(f"weight.{name}=0" for name in plain.weights if name not in {"static", "latent"})
    for query in questions(40):
        first = engine.search(Request(query, "keyword", adjust=("weight.bm25=1", "boost.title=1"))).hits[0]
        engine.curation.judge(query, first.document.id, 2)
    found = fitting.fit(engine.lab, Tuning("default", away))
    assert found.measures.one.of["ndcg_10"].mean < found.bm25.of["ndcg_10"].mean
    assert found.refused


def test_too_few_judgments_say_how_many_are_missing(engine: Engine) -> None:
    judge_at_random(engine, 7)
    with pytest.raises(UsageError, match=r"7 of your judged queries .* so 13 are missing"):
        fitting.fit(engine.lab, DEFAULT)


def test_fitted_weights_are_kept_as_a_profile_that_says_what_it_was_measured_on(judged: Engine) -> None:
    found = lab.fit(Call(judged, person=True), mine=True, save="mine")
    assert found.saved == "mine"
    kept = load(judged.settings.home.path, environ={})
    profile = kept.profiles["mine"]
    assert profile.weights == {**judged.settings.profiles["default"].weights, **found.weights}
    assert profile.about.startswith("Fitted on 2026-01-01 from default to 40 judged queries; nDCG@10")
    before, after = (
        evaluating.evaluate(kept, Plan(mine=True, profile=name)).macro.measures.of["ndcg_10"].mean
        for name in ("default", "mine")
    )
    assert after > before


def test_a_program_cannot_save_a_profile(engine: Engine) -> None:
    with pytest.raises(UsageError, match="Only a person saves a profile"):
        lab.fit(Call(engine), mine=True, save="mine")


def planted(count: int, seed: int = 1) -> list[Graded]:
    """Queries with ten documents and three signals, of which the second alone says what is judged."""
    chance = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        values = chance.random((10, 3))
        shares = np.zeros(10)
        shares[values[:, 1].argmax()] = 1.0
        found.append(Graded(values, shares))
    return found


def test_the_fewer_queries_there_are_the_closer_weights_stay_to_those_before() -> None:
    before = np.array([0.4, 0.2, 0.4])
    apart = [np.abs(fitted(planted(count), before) - before).sum() for count in (2, 20, 200)]
    assert apart == sorted(apart)
    assert apart[0] < apart[2] / 2


def test_weights_stay_at_or_above_nothing_and_add_up_to_what_they_did() -> None:
    before = np.array([0.4, 0.2, 0.4])
    weights = fitted(planted(300), before)
    assert weights.min() >= 0
    assert weights.sum() == pytest.approx(before.sum())
    assert weights.argmax() == 1
