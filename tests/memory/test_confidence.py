"""Confidence moves by 0.1/√(n+1) with every outcome, and stays in 0…1 whatever the order (M8)."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ark_tui.domain.errors import NotFound, UsageError
from ark_tui.domain.outcomes import EventFilter, Outcome, moved
from ark_tui.engine import Engine
from ark_tui.engine.memory import Memory
from ark_tui.operations.encoding import encoded

OUTCOMES = st.lists(st.sampled_from(["success", "failure"]), max_size=60)


@given(st.floats(0, 1), OUTCOMES)
def test_confidence_stays_between_nothing_and_certainty_and_moves_by_the_formula(
    confidence: float, outcomes: Sequence[Outcome]
) -> None:
    for earlier, outcome in enumerate(outcomes):
        after = moved(confidence, earlier, outcome)
        step = 0.1 / sqrt(earlier + 1)
        wanted = confidence + step if outcome == "success" else confidence - step
        assert after == min(1.0, max(0.0, wanted))
        assert 0.0 <= after <= 1.0
        confidence = after


def test_outcomes_are_reported_against_the_retrieval_that_gave_the_pattern(memory: Memory) -> None:
    kept = memory.patterns.add("the tests hang on CI", "set a timeout for each test")
    confidence = 0.5
    for earlier, outcome in enumerate(("success", "success", "failure", "success")):
        found = memory.context("why do the tests hang on CI")
        reported = memory.outcomes.report(found.retrieval_id, outcome)
        step = 0.1 / sqrt(earlier + 1)
        confidence += step if outcome == "success" else -step
        (change,) = reported.changes
        assert change.pattern == kept.document.id
        assert change.after == pytest.approx(confidence)
    (pattern,) = memory.patterns.list()
    assert (pattern.successes, pattern.failures) == (3, 1)
    assert pattern.confidence == pytest.approx(confidence)
    assert pattern.success_rate == 0.75


def test_an_outcome_counts_once_for_a_retrieval_and_a_pattern(memory: Memory) -> None:
    kept = memory.patterns.add("the tests hang on CI", "set a timeout for each test")
    found = memory.context("why do the tests hang on CI")
    first = memory.outcomes.report(found.retrieval_id, "success")
    for outcome in ("success", "failure"):
        for named in ((), (kept.document.id,)):
            again = memory.outcomes.report(found.retrieval_id, outcome, patterns=named)
            assert (again.event, again.outcome, again.changes) == (first.event, "success", ())
    memory.outcomes.apply(found.retrieval_id, kept.document.id)
    assert memory.outcomes.report(found.retrieval_id, "failure").changes == ()
    (pattern,) = memory.patterns.list()
    assert (pattern.successes, pattern.failures, pattern.confidence) == (1, 0, 0.6)
    assert memory.outcomes.totals(EventFilter(event_type="outcome")).count == 1


def test_an_application_waits_for_its_outcome_which_then_counts_for_it_alone(memory: Memory) -> None:
    one = memory.patterns.add("the tests hang on CI", "set a timeout for each test")
    other = memory.patterns.add("the tests on CI fail at night", "freeze the clock")
    found = memory.context("tests on CI")
    assert {item.document.id for item in found.items} == {one.document.id, other.document.id}
    applied = memory.outcomes.apply(found.retrieval_id[:8], one.document.short_id)
    assert encoded(applied)["outcome"] is None
    reported = memory.outcomes.report(found.retrieval_id, "success")
    assert [change.pattern for change in reported.changes] == [one.document.id]
    again = memory.outcomes.report(found.retrieval_id, "success", patterns=[other.document.id])
    assert [change.pattern for change in again.changes] == [other.document.id]
    assert [pattern.confidence for pattern in memory.patterns.list()] == [0.6, 0.6]


def test_what_is_no_retrieval_no_outcome_or_no_pattern_of_it_is_refused(memory: Memory) -> None:
    memory.patterns.add("the tests hang on CI", "set a timeout for each test")
    elsewhere = memory.patterns.add("bread burns", "lower the heat")
    found = memory.context("tests hang on CI")
    with pytest.raises(NotFound, match="no retrieval nowhere"):
        memory.outcomes.report("nowhere", "success")
    with pytest.raises(NotFound, match="no retrieval"):
        memory.outcomes.report("", "success")
    with pytest.raises(UsageError, match="maybe is not an outcome") as caught:
        memory.outcomes.report(found.retrieval_id, "maybe")
    assert "success or failure" in caught.value.hint
    with pytest.raises(NotFound, match="is not in the result of"):
        memory.outcomes.apply(found.retrieval_id, elsewhere.document.id)
    assert [pattern.confidence for pattern in memory.patterns.list()] == [0.5, 0.5]


def test_reports_that_come_at_once_all_count(engine: Engine, memory: Memory) -> None:
    memory.patterns.add("the tests hang on CI", "set a timeout for each test")
    ids = [memory.context("tests hang on CI").retrieval_id for _ in range(12)]

    def report(place: int) -> None:
        with Engine(engine.settings) as other:  # with leases of its own, as another process has them
            for id_, outcome in zip(ids[place::4], ("failure", "success", "failure"), strict=True):
                other.memory.outcomes.report(id_, outcome)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(report, range(4)))
    (pattern,) = memory.patterns.list()
    assert (pattern.successes, pattern.failures) == (4, 8)
    events = memory.outcomes.query(EventFilter(event_type="outcome"))[::-1]
    confidence = 0.5
    for earlier, event in enumerate(events):
        confidence = moved(confidence, earlier, "success" if event.verdict == "success" else "failure")
    assert pattern.confidence == pytest.approx(confidence)


def test_a_pattern_without_any_confidence_left_is_in_no_context(memory: Memory) -> None:
    kept = memory.patterns.add("the tests hang on CI", "set a timeout for each test")
    found = memory.context("why do the tests hang on CI")
    while memory.outcomes.report(found.retrieval_id, "failure").changes[0].after > 0:
        found = memory.context("the tests hang on CI")
        assert kept.document.id in [one.document.id for one in found.items]
    assert kept.document.id not in [one.document.id for one in memory.context("the tests hang on CI").items]
    assert [one.document.id for one in memory.patterns.list()] == [kept.document.id]
