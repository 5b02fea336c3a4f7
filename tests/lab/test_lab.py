"""The ranking lab of the engine: what a step shows is what a search shows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ark_tui.curation import edits
from ark_tui.domain.errors import UsageError
from ark_tui.domain.evaluation import Plan, Tuning
from ark_tui.domain.hits import SearchResult
from ark_tui.domain.query import Request
from ark_tui.engine import Engine, evaluating
from ark_tui.operations import workbench
from ark_tui.operations.call import Call
from ark_tui.settings import load
from tests.lab.conftest import questions

START = Tuning("default")


def listed(result: SearchResult) -> list[tuple[str, float]]:
    return [(hit.document.id, hit.score) for hit in result.hits]


def _searched(engine: Engine, request: Request, by: Tuning) -> list[tuple[str, float]]:
    return listed(engine.search(replace(request, profile=by.profile, adjust=by.changes, below=True)))


def test_the_weights_that_can_be_moved_are_those_of_the_signals_in_force(engine: Engine) -> None:
    weights = engine.settings.profiles["default"].weights
    assert {one.signal: one.value for one in engine.lab.sliders(START)} == {
        name: weight for name, weight in weights.items() if weight
    }


def test_a_step_lists_what_a_search_with_those_weights_lists_and_the_ranks_before(engine: Engine) -> None:
    request = Request("spectral gap", limit=20)
    before = [document for document, _ in _searched(engine, replace(request, limit=100), START)]
    by = START.moved({"bm25": 0.5, "neighbour": 0.0})
    found = engine.lab.tuned(request, by, START)
    assert listed(found.result) == _searched(engine, request, by)
    assert list(found.before) == [
        before.index(hit.document.id) + 1 if hit.document.id in before else None for hit in found.result.hits
    ]


def test_what_is_measured_is_what_eval_measures_on_the_same_judgments(engine: Engine) -> None:
    for query in questions(8):
        hits = engine.search(Request(query, below=True)).hits
        engine.curation.edit(edits.judge, query, hits[1].document.id, 2)
        engine.curation.edit(edits.judge, query, hits[0].document.id, 0)
    changes = ("weight.bm25=0.6", "weight.neighbour=0.02")
    found = engine.lab.compared(Tuning("default", changes), START)
    assert found is not None
    plan = Plan(mine=True, profile="default")
    before, after = (
        evaluating.evaluate(engine.settings, each).macro.measures
        for each in (plan, replace(plan, adjust=changes))
    )
    assert found.one == after
    assert found.other == before
    difference = after.of["ndcg_10"].mean - before.of["ndcg_10"].mean
    assert found.change.of["ndcg_10"].mean == pytest.approx(difference)
    assert found.better + found.worse <= 8


def test_a_weight_takes_along_the_one_for_queries_with_names(engine: Engine) -> None:
    model = engine.settings.profiles["model"]
    moved = engine.lab.profile(Tuning("model", (f"weight.cosine={model.weights['cosine'] / 2:g}",)))
    assert moved.named["cosine"] == pytest.approx(model.named["cosine"] / 2)


def test_without_judgments_there_is_nothing_to_measure_on(engine: Engine) -> None:
    assert engine.lab.compared(START, START) is None


def test_a_tuning_is_kept_as_a_profile_that_ranks_the_same_and_says_what_it_was_measured_on(
    engine: Engine,
) -> None:
    query = questions(1)[0]
    engine.curation.edit(edits.judge, query, engine.search(Request(query)).hits[0].document.id, 2)
    by = Tuning("default", ("weight.bm25=0.3", "decay.rate=0.4", "mmr=0.8"))
    about = workbench.save_tuning(Call(engine, person=True), "quiet", by)
    measured = engine.lab.compared(by, START)
    assert measured is not None
    now, change = (each.of["ndcg_10"].mean for each in (measured.one, measured.change))
    made = f"Made in the ranking lab on 2026-01-01 from default; nDCG@10 {now:.3f}, {change:+.3f}"
    assert about.startswith(made)
    assert about.endswith("on 1 judged query.")
    kept = load(engine.settings.home.path, environ={})
    assert not kept.warnings
    wanted = engine.lab.profile(by)
    assert kept.profiles["quiet"] == replace(wanted, name="quiet", about=about)


@pytest.mark.parametrize(
    ("name", "why"), [("default", "already"), ("a b", "not a valid name"), ("", "not a valid name")]
)
def test_a_profile_needs_a_name_of_its_own(engine: Engine, name: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        workbench.save_tuning(Call(engine, person=True), name, START)
