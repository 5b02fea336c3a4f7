"""Each edit does what it says, at once, in both indexes; what is wrong is said in a sentence (T4)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ark_tui.curation import edits
from ark_tui.domain.errors import Ambiguous, ArkError, NotFound, UsageError
from ark_tui.domain.hits import Hit
from ark_tui.domain.library import Listing
from ark_tui.domain.query import Request
from ark_tui.engine.curation import Curation
from tests.curation.conftest import NOTES, Place


def test_a_tag_is_found_by_both_indexes_at_once_and_nothing_is_embedded_again(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ark_tui.embedding import static

    monkeypatch.setattr(static, "pool", lambda *_: pytest.fail("a tag embeds nothing"))
    done = place.curation.edit(edits.tag, ["gap", "rice.md"], ["to read"])
    assert done.what == "tagged 2 documents with to read"
    assert [document.tags for document in done.documents] == [("chains", "theory", "to read"), ("to read",)]
    for mode in ("keyword", "semantic"):
        assert place.paths('tag:"to read"', mode=mode) == {"gap.md", "rice.md"}


def test_a_tier_is_filtered_by_at_once(place: Place) -> None:
    assert place.curation.edit(edits.tier, ["gap"], "raw").what == "set the tier of “gap” to raw"
    assert place.paths("tier:raw") == {"gap.md"}
    assert place.paths("tier:wiki") == set()


def test_a_pin_marks_hits_and_changes_no_score(place: Place) -> None:
    def found() -> list[Hit]:
        return list(place.engine.search(Request("spectral gap", unlogged=True, below=True)).hits)

    before = found()
    place.curation.edit(edits.pin, ["walks"])
    after = found()
    assert [(hit.document.path, hit.score) for hit in before] == [
        (hit.document.path, hit.score) for hit in after
    ]
    assert all(factor.name != "pin" for hit in after for factor in hit.multipliers)
    assert {hit.document.path for hit in after if hit.document.pinned} == {"walks.md"}
    assert pinned(place) == ["walks.md"]
    assert place.curation.edit(edits.pin, ["walks"], on=False).what == "unpinned “walks”"
    assert pinned(place) == []


def pinned(place: Place) -> list[str]:
    return [one.path for one in place.engine.library.documents(Listing(pinned=True)).rows]


def test_what_was_superseded_is_hidden_and_names_its_successor(place: Place) -> None:
    place.curation.edit(edits.supersede, ["walks", "rice"], "gap")
    assert place.paths("random walk patience gap") & {"walks.md", "rice.md"} == set()
    assert place.engine.document("rice").superseded_by.endswith(" gap")
    place.curation.edit(edits.supersede, ["rice"], "fiedler")  # the later word counts
    assert place.engine.document("rice").superseded_by.endswith(" fiedler")


def test_a_link_is_typed_and_seen_from_both_ends(place: Place) -> None:
    place.curation.edit(edits.link, "rice", "gap", "builds_on")
    place.curation.edit(edits.link, "rice", "walks", "contradicts")
    assert place.links("rice") == {("builds_on", "gap.md"), ("contradicts", "walks.md")}
    assert ("builds_on", "in") in {
        (link.relation, link.direction) for link in place.engine.reading.links("gap")
    }


def test_links_are_taken_away_whether_a_file_states_them_or_a_person_made_them(place: Place) -> None:
    place.curation.edit(edits.link, "walks", "gap", "tensions")
    place.curation.edit(edits.unlink, "walks", "gap")
    assert place.links("walks") == {("links_to", "fiedler.md")}


def test_the_trash_hides_a_document_keeps_its_text_and_leaves_the_file(place: Place) -> None:
    place.curation.edit(edits.trash, ["gap"])
    assert "gap.md" not in place.paths("spectral gap", mode="keyword") | place.paths("in:notes")
    assert [one.path for one in place.curation.trashed()] == ["gap.md"]
    assert (place.root / "gap.md").read_text() == NOTES["gap.md"]
    with pytest.raises(NotFound, match="gap is in the trash"):
        place.curation.edit(edits.tag, ["gap"], ["x"])
    place.index()
    assert "gap.md" not in place.paths("in:notes")
    place.curation.edit(edits.untrash, ["gap"])
    assert "gap.md" in place.paths("spectral gap", mode="semantic")
    assert place.links("walks") >= {("links_to", "gap.md")}
    assert place.wrong() == []


def test_hits_of_the_last_search_are_called_by_their_rank(place: Place) -> None:
    hits = place.engine.search(Request("Fiedler vector")).hits
    assert place.curation.edit(edits.tag, ["@1"], ["cut"]).documents[0].id == hits[0].document.id
    with pytest.raises(NotFound, match="has no hit @99"):
        place.curation.edit(edits.tag, ["@99"], ["cut"])


def test_what_is_so_already_is_no_edit(place: Place) -> None:
    place.curation.edit(edits.tag, ["gap"], ["x"])
    again = place.curation.edit(edits.tag, ["gap"], ["x"])
    assert not again.changed
    assert again.what == "nothing to do: it is so already"
    assert len(place.curation.log().rows) == 1


WRONG: list[tuple[Callable[[Curation], object], type[ArkError], str]] = [
    (lambda c: c.edit(edits.tag, ["nowhere.md"], ["x"]), NotFound, "There is no document nowhere.md."),
    (lambda c: c.edit(edits.tag, ["one", "items"], ["x"]), ArkError, ""),
    (lambda c: c.edit(edits.tag, ["items.jsonl"], ["x"]), Ambiguous, "items.jsonl fits several documents."),
    (lambda c: c.edit(edits.tag, [], ["x"]), UsageError, "No document is named."),
    (lambda c: c.edit(edits.tag, [" "], ["x"]), UsageError, "The name of a document is empty."),
    (lambda c: c.edit(edits.tag, ["gap"], []), UsageError, "No tag is given."),
    (lambda c: c.edit(edits.tag, ["gap"], [" # "]), UsageError, "A tag needs a name."),
    (
        lambda c: c.edit(edits.tag, ["gap"], ["a\x1b[2J"]),
        UsageError,
        "A tag cannot have control characters in it.",
    ),
    (
        lambda c: c.edit(edits.tag, ["gap"], ["\u202eevil"]),
        UsageError,
        "A tag cannot have control characters in it.",
    ),
    (
        lambda c: c.edit(edits.tag, ["gap"], ["a,b"]),
        UsageError,
        "The tag a,b has a comma, which separates tags.",
    ),
    (lambda c: c.edit(edits.tag, ["gap"], ["x" * 101]), UsageError, "has more than 100 characters"),
    (lambda c: c.edit(edits.untag, ["gap"], ["nope"]), NotFound, "“gap” has no tag nope."),
    (lambda c: c.edit(edits.tier, ["gap"], "gold"), UsageError, "There is no tier gold."),
    (lambda c: c.edit(edits.link, "gap", "gap"), UsageError, "“gap” cannot be linked to itself as links_to."),
    (lambda c: c.edit(edits.link, "gap", "rice", "loves"), UsageError, "There is no relation loves."),
    (lambda c: c.edit(edits.unlink, "rice", "gap"), NotFound, "“rice” has no link to “gap”."),
    (lambda c: c.edit(edits.supersede, ["gap"], "gap"), UsageError, "“gap” cannot supersede itself."),
    (lambda c: c.edit(edits.untrash, ["gap"]), NotFound, "There is no document gap."),
    (lambda c: c.edit(edits.tag, ["@1"], ["x"]), NotFound, "No search has been run yet"),
    (lambda c: c.edit(edits.merge, "gap", ["gap.md"]), UsageError, "cannot be merged with itself"),
]


def test_bad_input_gets_a_sentence_and_changes_nothing(place: Place) -> None:
    before = place.state()
    for wrong, kind, sentence in WRONG:
        with pytest.raises(kind) as caught:
            wrong(place.curation)
        assert sentence in caught.value.what
        assert caught.value.hint
    assert place.state() == before
    assert place.curation.log().rows == ()


def test_documents_cannot_supersede_each_other_in_a_circle(place: Place) -> None:
    place.curation.edit(edits.supersede, ["gap"], "walks")
    place.curation.edit(edits.supersede, ["walks"], "rice")
    with pytest.raises(UsageError, match="is itself superseded by “rice”"):
        place.curation.edit(edits.supersede, ["rice"], "gap")


def test_a_tag_is_renamed_wherever_it_is_with_those_below_it_and_undo_names_it_again(place: Place) -> None:
    place.curation.edit(edits.tag, ["rice.md"], ["theory/food", "theorem"])
    place.curation.edit(edits.tag, ["walks"], ["maths"])
    before = {name: place.tags(name) for name in ("gap", "rice.md", "walks")}
    done = place.curation.edit(edits.rename_tag, "#theory", "maths")
    assert done.what.startswith("renamed the tag theory to maths on ")
    assert place.tags("gap") == ("chains", "maths")  # its file states the old one
    assert place.tags("rice.md") == ("maths/food", "theorem")
    assert place.paths("tag:theory") == set()
    assert place.paths("tag:maths") >= {"gap.md", "rice.md", "walks.md"}
    place.curation.undo()
    assert {name: place.tags(name) for name in before} == before
    place.curation.redo()
    place.curation.edit(edits.rename_tag, "maths", "theory")
    assert place.tags("gap") == ("chains", "theory")
    assert place.curation.edit(edits.rename_tag, "theory", "theory").edit is None


def test_a_tag_in_the_trash_is_renamed_too_and_one_that_nobody_has_is_said(place: Place) -> None:
    place.curation.edit(edits.tag, ["rice.md"], ["food"])
    place.curation.edit(edits.trash, ["rice.md"])
    place.curation.edit(edits.rename_tag, "food", "meals")
    place.curation.edit(edits.untrash, ["rice.md"])
    assert place.tags("rice.md") == ("meals",)
    with pytest.raises(NotFound) as told:
        place.curation.edit(edits.rename_tag, "fod", "meals")
    assert "meals" in str(told.value.hint)


def test_the_one_that_is_kept_gets_tags_links_pins_and_judgments_of_the_others(place: Place) -> None:
    with place.unfollowed():
        place.curation.edit(edits.pin, ["gap"])
        place.curation.edit(edits.judge, "mixing", "gap", 2)
        place.curation.edit(edits.link, "rice", "gap", "builds_on")
        done = place.curation.edit(edits.merge, "fiedler", ["gap"])
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
        place.curation.edit(edits.tag, ["fiedler"], ["theory"])
        before = place.state()
        place.curation.edit(edits.merge, "fiedler", ["gap", "walks", "fiedler"])
        after = place.state()
        assert place.curation.undo().what == "separated 2 documents again"
        assert place.state() == before
        place.curation.redo()
        assert place.state() == after
