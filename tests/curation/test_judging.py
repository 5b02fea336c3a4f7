"""Judgments are kept as graded qrels of a query, exported, and measured by."""

from __future__ import annotations

import pytest

from ark_tui.curation import edits, saved
from ark_tui.domain.curation import BETTER, WORSE
from ark_tui.domain.evaluation import Plan
from ark_tui.domain.query import Request
from ark_tui.engine import evaluating, searches
from tests.curation.conftest import Place


def judged(place: Place) -> list[tuple[str, str, int]]:
    return [(one.query, one.document.path, one.grade) for one in place.curation.judgments()]


def test_a_judgment_is_changed_taken_back_and_undone(place: Place) -> None:
    with place.unfollowed():
        assert place.curation.edit(edits.judge, " spectral  gap ", "gap", 2).what == (
            "“gap” is the best answer for “spectral gap”"
        )
        place.curation.edit(edits.judge, "spectral gap", "rice", 0)
        place.curation.edit(edits.judge, "spectral gap", "gap", 1)
        assert judged(place) == [("spectral gap", "gap.md", 1), ("spectral gap", "rice.md", 0)]
        place.curation.edit(edits.judge, "spectral gap", "rice", None)
        assert judged(place) == [("spectral gap", "gap.md", 1)]
        place.curation.undo()
        assert judged(place) == [("spectral gap", "gap.md", 1), ("spectral gap", "rice.md", 0)]


def test_a_step_is_one_from_the_grade_that_there_is(place: Place) -> None:
    with place.unfollowed():
        for step, grade in ((BETTER, 1), (BETTER, 2), (BETTER, 2), (WORSE, 1), (WORSE, 0), (BETTER, 1)):
            place.curation.edit(edits.regrade, "spectral  gap", ["gap"], step)
            assert judged(place) == [("spectral gap", "gap.md", grade)]
        done = place.curation.edit(edits.regrade, "spectral gap", ["rice", "gap"], WORSE)
        assert sorted(judged(place)) == [("spectral gap", "gap.md", 0), ("spectral gap", "rice.md", 0)]
        assert done.what == "2 documents are judged for “spectral gap”"
        place.curation.undo()
        assert judged(place) == [("spectral gap", "gap.md", 1)], "one act is one undo step"


def test_tags_put_on_and_taken_off_are_one_edit(place: Place) -> None:
    with place.unfollowed():
        before = place.engine.document("gap").tags
        place.curation.edit(edits.retag, ["gap"], ["fresh"], ["theory"])
        assert set(place.engine.document("gap").tags) == {*before, "fresh"} - {"theory"}
        place.curation.undo()
        assert set(place.engine.document("gap").tags) == set(before)


def test_the_ranking_is_measured_on_ones_own_queries_with_their_filters(place: Place) -> None:
    with place.unfollowed():
        place.curation.edit(edits.judge, "the tag:theory", "gap", 1)
        place.curation.edit(edits.judge, "fiedler vector", "fiedler", 2)
        place.curation.edit(edits.judge, "nobody answers", "rice", 0)
    before = place.state(), searches.latest(place.engine), place.curation.log().rows
    done = evaluating.evaluate(place.engine.settings, Plan(mine=True))
    assert (place.state(), searches.latest(place.engine), place.curation.log().rows) == before
    (mine,) = done.sets
    assert (mine.name, mine.documents, mine.measures.queries) == ("mine", 6, 2)
    assert mine.measures.of["ndcg_10"].mean == pytest.approx(1.0)
    assert set(mine.baselines) == {"bm25", "cosine", "ark"}
    assert done.notices == ("mine: 1 judged without an answer left out",)


def test_a_saved_search_is_kept_with_its_filters_renamed_deleted_and_brought_back(place: Place) -> None:
    with place.unfollowed():
        place.curation.edit(saved.save, "theory", Request("spectral tag:theory", mode="keyword", limit=3))
        asked = place.curation.asked("@theory -rice")
        assert asked == Request("spectral tag:theory -rice", mode="keyword", limit=3)
        place.curation.edit(saved.rename, "theory", "gaps")
        assert place.curation.asked("@theory") is None
        place.curation.edit(saved.forget, "gaps")
        assert place.curation.saved() == ()
        assert place.curation.undo().what == "restored the search gaps"
        assert [one.name for one in place.curation.saved()] == ["gaps"]
    assert place.curation.asked("spectral @gaps") is None
