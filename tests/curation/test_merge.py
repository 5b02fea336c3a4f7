"""Duplicates become one document: nothing that was said of any of them is lost (T4)."""

from __future__ import annotations

import pytest

from ark_tui.domain.errors import UsageError
from tests.curation.conftest import Place


def test_the_one_that_is_kept_gets_tags_links_pins_and_judgments_of_the_others(place: Place) -> None:
    with place.unfollowed():
        place.curation.pin(["gap"])
        place.curation.judge("mixing", "gap", 2)
        place.curation.link("rice", "gap", "builds_on")
        done = place.curation.merge("fiedler", ["gap"])
    assert done.what == "merged “gap” into “fiedler”"
    kept = place.engine.document("fiedler")
    assert kept.tags == ("chains", "theory")
    assert kept.pinned
    assert place.links("fiedler") == {("contradicts", "rice.md"), ("links_to", "walks.md")}
    assert ("links_to", "fiedler.md") in place.links("walks")
    assert place.links("rice") == {("builds_on", "fiedler.md")}
    assert [(one.query, one.document.path, one.grade) for one in place.curation.judgments()] == [
        ("mixing", "fiedler.md", 2)
    ]
    (gone,) = place.curation.trashed()
    assert gone.path == "gap.md"
    assert "gap.md" not in place.paths("spectral gap", mode="keyword")
    assert place.wrong() == []


def test_undoing_a_merge_splits_them_again_exactly(place: Place) -> None:
    with place.unfollowed():
        place.curation.tag(["fiedler"], ["theory"])
        before = place.state()
        place.curation.merge("fiedler", ["gap", "walks", "fiedler"])
        after = place.state()
        assert place.curation.undo().what == "split 2 documents off again"
        assert place.state() == before
        place.curation.redo()
        assert place.state() == after


def test_a_document_cannot_be_merged_with_itself(place: Place) -> None:
    with pytest.raises(UsageError, match="cannot be merged with itself"):
        place.curation.merge("gap", ["gap.md"])
