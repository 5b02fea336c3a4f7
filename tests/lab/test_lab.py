"""The ranking lab of the engine: what a step shows is what a search shows."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from ark_tui.domain.errors import UsageError
from ark_tui.domain.evaluation import Plan
from ark_tui.domain.hits import SearchResult
from ark_tui.domain.profile import Decay
from ark_tui.domain.query import Request
from ark_tui.domain.tuning import Slider, Tuning
from ark_tui.engine import Engine, evaluating
from ark_tui.operations import lab as operations
from ark_tui.operations.call import Call
from ark_tui.settings import load
from ark_tui.settings.sliders import half_life, tuning
from tests.lab.conftest import questions

START = Tuning("default")
FEW = settings(
    max_examples=6, phases=(Phase.generate,), suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def listed(result: SearchResult) -> list[tuple[str, float]]:
    return [(hit.document.id, hit.score) for hit in result.hits]


def moved(draw: st.DrawFn, slider: Slider) -> float:
    steps = draw(st.integers(-5, 5))
    return round(min(slider.most, max(slider.least, slider.value + steps * slider.step)), 6)


@st.composite
def several_moves(draw: st.DrawFn, sliders: tuple[Slider, ...]) -> dict[str, float]:
    picked = draw(st.lists(st.sampled_from(sliders), min_size=1, max_size=4))
    return {slider.key: moved(draw, slider) for slider in picked}


@FEW
@given(data=st.data(), query=st.sampled_from(questions(6, 4)), name=st.sampled_from(["default", "ark"]))
def test_whatever_is_moved_the_hits_are_those_of_a_search_with_that_profile(
    engine: Engine, data: st.DataObject, query: str, name: str
) -> None:
    start = Tuning(name)
    request = Request(query, limit=20)
    before = _searched(engine, replace(request, limit=1000), start)
    places = {document: place for place, (document, _) in enumerate(before, start=1)}
    for _ in range(4):
        by = tuning(start, data.draw(several_moves(engine.lab.sliders(start))))
        found = engine.lab.tuned(request, by, start)
        assert listed(found.result) == _searched(engine, request, by)
        assert list(found.before) == [places.get(hit.document.id) for hit in found.result.hits]


def _searched(engine: Engine, request: Request, by: Tuning) -> list[tuple[str, float]]:
    return listed(engine.search(replace(request, profile=by.profile, adjust=by.changes, below=True)))


def test_a_step_that_only_weighs_asks_no_index_again_and_another_one_says_so(engine: Engine) -> None:
    request = Request("spectral gap")
    assert engine.lab.tuned(request, START, START).searched
    for change in ("weight.bm25=0.2", "decay.rate=0.4", "mmr=0.7"):
        assert not engine.lab.tuned(request, Tuning("default", (change,)), START).searched
    more = Tuning("default", ("feedback.hits=5",))
    assert engine.lab.tuned(request, more, START).searched
    assert not engine.lab.tuned(request, more, START).searched


def test_each_slider_says_whether_moving_it_asks_the_indexes(engine: Engine) -> None:
    request = Request("spectral gap")
    engine.lab.tuned(request, START, START)
    for slider in engine.lab.sliders(START):
        step = slider.step if slider.value < slider.most else -slider.step
        by = tuning(START, {slider.key: slider.value + step})
        assert engine.lab.tuned(request, by, START).searched == slider.searches, slider.key


def test_what_is_measured_is_what_eval_measures_on_the_same_judgments(engine: Engine) -> None:
    for query in questions(8):
        hits = engine.search(Request(query, below=True)).hits
        engine.curation.judge(query, hits[1].document.id, 2)
        engine.curation.judge(query, hits[0].document.id, 0)
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


def test_a_text_that_comes_in_meanwhile_is_among_the_hits_of_the_next_step(engine: Engine) -> None:
    request = Request("zygomorphic flowers")
    before = engine.lab.tuned(request, START, START).result
    engine.ingest_text("Zygomorphic flowers have one plane of symmetry.", title="Flowers")
    engine.sync()
    found = engine.lab.tuned(request, START, START)
    assert found.searched
    assert found.result.hits[0].document.title == "Flowers"
    assert "Flowers" not in [hit.document.title for hit in before.hits]


def test_a_document_that_is_opened_meanwhile_counts_as_it_does_in_a_search(engine: Engine) -> None:
    request, ark = Request("spectral gap", limit=20), Tuning("ark")
    before = engine.lab.tuned(request, ark, ark).result
    for _ in range(5):
        engine.opened(before.hits[3].document.id)
    assert listed(engine.lab.tuned(request, ark, ark).result) == _searched(engine, request, ark)
    assert listed(before) != _searched(engine, request, ark)


def test_a_tuning_is_kept_as_a_profile_that_ranks_the_same_and_says_what_it_was_measured_on(
    engine: Engine,
) -> None:
    query = questions(1)[0]
    engine.curation.judge(query, engine.search(Request(query)).hits[0].document.id, 2)
    by = Tuning("default", ("weight.bm25=0.3", "decay.rate=0.4", "mmr=0.8"))
    about = operations.save(Call(engine, person=True), "quiet", by)
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


@pytest.mark.parametrize(("name", "why"), [("default", "already"), ("a b", "no name"), ("", "no name")])
def test_a_profile_needs_a_name_of_its_own(engine: Engine, name: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        operations.save(Call(engine, person=True), name, START)


def test_decay_moved_to_nothing_is_switched_off_and_says_when_a_text_counts_half() -> None:
    assert tuning(START, {"decay.rate": 0.0, "decay.floor": 0.5}).changes == ("decay.floor=0.5", "decay=off")
    assert half_life(Decay(0.3, 0.5)) == "half after 365 days"
    assert half_life(Decay(0.6, 0.5)) == "never half"
