"""The queue serves what wants attention, one item at a time, each with its decisions as data (T4)."""

from __future__ import annotations

import pytest

from ark_tui.domain.curation import Item
from tests.curation.conftest import NOTES, Place


def items(place: Place, kind: str) -> list[Item]:
    return list(place.curation.queue(100, [kind]).items)


def paths(item: Item) -> list[str]:
    return [one.path for one in item.documents]


@pytest.fixture
def doubled(place: Place) -> Place:
    place.write("copies/gap.md", "---\ntags: [copy]\n---\n" + NOTES["gap.md"].rpartition("---\n")[2])
    place.index()
    return place


def test_duplicates_are_merged_either_way_or_both_are_kept(doubled: Place) -> None:
    (item,) = items(doubled, "duplicate")
    assert paths(item) == ["gap.md", "copies/gap.md"]
    assert item.reason == "all of it is in the first one, too"
    assert [choice.key for choice in item.choices] == ["1", "2", "b", "l"]
    doubled.curation.decide(item, "2")
    assert [one.path for one in doubled.curation.trashed()] == ["gap.md"]
    assert items(doubled, "duplicate") == []
    doubled.curation.undo()
    (item,) = items(doubled, "duplicate")
    doubled.curation.decide(item, "b")
    assert items(doubled, "duplicate") == []
    doubled.curation.undo()
    assert len(items(doubled, "duplicate")) == 1


def test_a_contradiction_is_decided_for_one_side_settled_or_denied(place: Place) -> None:
    (item,) = items(place, "contradiction")
    assert paths(item) == ["fiedler.md", "rice.md"]
    with place.unfollowed():
        place.curation.decide(item, "1")
        assert place.engine.document("rice").superseded_by.endswith("fiedler")
        assert items(place, "contradiction") == []
        place.curation.undo()
        place.curation.decide(item, "n")
        assert place.links("fiedler") == set()
        assert items(place, "contradiction") == []
        place.curation.undo()
        place.curation.decide(item, "b")
        assert items(place, "contradiction") == []


def test_a_file_that_was_saved_since_is_indexed_from_the_queue(place: Place) -> None:
    assert items(place, "stale") == []
    place.write("rice.md", "Basmati wants soaking for an hour.")
    (item,) = items(place, "stale")
    assert paths(item) == ["rice.md"]
    assert place.curation.decide(item, "i").what == "indexed rice.md again"
    assert items(place, "stale") == []
    assert "rice.md" in place.paths("basmati soaking", mode="keyword")


def test_untagged_documents_are_tagged_with_the_tags_of_their_folder_at_hand(place: Place) -> None:
    found = items(place, "untagged")
    assert {path for item in found for path in paths(item)} == {
        "walks.md", "fiedler.md", "rice.md", "lists/items.jsonl",
    }  # fmt: skip
    rice = next(item for item in found if paths(item) == ["rice.md"])
    assert rice.suggestions == ("chains", "theory")
    assert next(choice for choice in rice.choices if choice.key == "t").asks == "tags"
    place.curation.decide(rice, "t", "food, grain")
    assert place.tags("rice") == ("food", "grain")
    assert "rice.md" not in {path for item in items(place, "untagged") for path in paths(item)}


def test_what_was_skipped_comes_back_later(place: Place) -> None:
    (item,) = items(place, "contradiction")
    place.curation.decide(item, "l")
    assert items(place, "contradiction") == []
    assert place.curation.queue(100, ["contradiction"]).later == 1
    place.clock.pass_by(days=1, seconds=1)
    assert items(place, "contradiction") == [item]


def test_what_no_search_brings_back_is_asked_of_the_audit(doubled: Place) -> None:
    unfound = items(doubled, "unfound")
    assert [paths(item) for item in unfound] == [["copies/gap.md"]]
    assert "near-duplicate" in unfound[0].reason
    assert doubled.curation.item(unfound[0].id) == unfound[0]
    doubled.curation.decide(unfound[0], "b")
    assert items(doubled, "unfound") == []
