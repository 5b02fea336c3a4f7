"""What a person has said stays: over changed files, renames, rebuilds, backups and a new start (T4)."""

from __future__ import annotations

from pathlib import Path

from ark_tui.curation import edits
from ark_tui.engine import Engine
from ark_tui.settings import load
from tests.curation.conftest import NOTES, Place


def check(place: Place, ref: str = "gap") -> None:
    found = place.engine.document(ref)
    assert "mine" in found.tags
    assert "theory" not in found.tags
    assert found.tier == "reflection"
    assert found.pinned
    assert place.links(ref) == {("builds_on", "rice.md")}
    assert found.path in place.paths("tag:mine tier:reflection")
    assert place.wrong() == []


def test_it_stays_when_the_file_changes_and_states_the_same_again(place: Place) -> None:
    place.curate()
    place.write("gap.md", NOTES["gap.md"].replace("bounds", "bounds from below") + " More.")
    place.index()
    check(place)
    assert place.paths("from below", mode="keyword") == {"gap.md"}


def test_what_the_file_says_new_is_taken_up_beside_it(place: Place) -> None:
    place.curate()
    place.write("gap.md", NOTES["gap.md"].replace("chains]", "graphs]").replace("[[walks]]", "[[fiedler]]"))
    place.index()
    assert place.tags("gap") == ("graphs", "mine")
    assert place.links("gap") == {("builds_on", "rice.md"), ("links_to", "fiedler.md")}


def test_it_follows_renamed_files_on_either_end_of_a_link(place: Place) -> None:
    place.curate()
    (place.root / "gap.md").rename(place.root / "spectral.md")
    (place.root / "rice.md").rename(place.root / "lists" / "basmati.md")
    place.index()
    assert place.links("spectral") == {("builds_on", "lists/basmati.md")}
    assert place.engine.document("spectral").tags == ("chains", "mine")


def test_it_comes_back_with_a_file_that_was_away(place: Place) -> None:
    place.curate()
    (place.root / "gap.md").unlink()
    place.index()
    place.write("gap.md", NOTES["gap.md"])
    place.index()
    check(place)


def test_it_stays_over_a_new_start_a_backup_and_its_restoring(place: Place, tmp_path: Path) -> None:
    place.curate()
    saved = place.engine.backup(tmp_path / "saved.zip")
    place.curation.edit(edits.untag, ["gap"], ["mine"])
    place.engine.restore(saved)
    place.engine.sync()
    check(place)
    with Engine(load(tmp_path / "home", environ={}), place.clock) as again:
        check(Place(place.root, again, place.clock))
        assert again.curation.undo().what == "linked “gap” to “walks” again"


def test_taking_an_edit_back_brings_out_what_the_file_says_today(place: Place) -> None:
    place.curate()
    place.write("gap.md", NOTES["gap.md"].replace("tier: wiki", "tier: raw").replace("chains]", "graphs]"))
    place.index()
    with place.unfollowed():
        while place.curation.undo().changed:
            pass
    found = place.engine.document("gap")
    assert (found.tags, found.tier, found.pinned) == (("graphs", "theory"), "raw", False)
    assert place.links("gap") == {("links_to", "walks.md")}
    assert place.wrong() == []


def test_a_file_that_changes_in_the_trash_stays_there_and_comes_back_with_todays_text(place: Place) -> None:
    place.curation.edit(edits.trash, ["rice"])
    place.write("rice.md", "Basmati wants soaking.")
    place.index()
    assert place.paths("basmati soaking", mode="keyword") == set()
    assert place.wrong() == []
    place.curation.edit(edits.untrash, ["rice"])
    assert "rice.md" in place.paths("basmati soaking", mode="keyword")
    assert place.wrong() == []


def test_a_text_in_the_trash_outlives_its_file_and_another_file_in_its_place(place: Place) -> None:
    place.curation.edit(edits.trash, ["rice"])
    (place.root / "rice.md").unlink()
    place.index()
    (place.root / "fiedler.md").rename(place.root / "rice.md")
    place.index()
    assert "sparsest" in place.engine.show("rice.md").text
    (held,) = place.curation.trashed()
    place.curation.edit(edits.untrash, [held.short_id])
    assert place.paths("cooking patience lid", mode="keyword") == {held.path}
    assert place.wrong() == []
