"""Notes, into the store or the inbox, rewritten (T4); purging, after which no trace of a text is left."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ark_tui.curation import edits
from ark_tui.domain.errors import UsageError
from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.engine.curation import Curation
from tests.curation.conftest import NOTES, Place
from tests.erasing.traces import traces


def inbox(place: Place, folder: Path | str) -> Curation:
    """The curation room of a home whose config names an inbox."""
    return Engine(replace(place.engine.settings, inbox=str(folder)), place.clock).curation


def test_a_note_goes_into_the_store_and_can_be_taken_back_and_made_again(place: Place) -> None:
    done = place.note("Pasta wants salt.", tags=["food"])
    assert done.what == "added the note “Pasta wants salt.”"
    (note,) = done.documents
    assert place.paths("tag:food", mode="keyword") == {note.path}
    assert place.curation.undo().what == "removed the note “Pasta wants salt.”"
    assert place.paths("pasta salt", mode="keyword") == set()
    assert place.curation.trashed() == ()
    place.curation.redo()
    assert place.tags(note.id) == ("food",)
    assert place.wrong() == []


def test_the_same_note_twice_is_one(place: Place) -> None:
    first = place.note("Pasta wants salt.", title="Pasta")
    assert not place.note("Pasta wants salt.", title="Pasta").changed
    place.curation.edit(edits.trash, [first.documents[0].id])
    assert place.note("Pasta wants salt.", title="Pasta").changed  # it is wanted again
    assert place.curation.trashed() == ()


def test_a_note_is_renamed_and_rewritten_and_is_as_before_after_undo(place: Place) -> None:
    (note,) = place.note("# Pasta\n\nIt wants salt.", tags=["food"]).documents
    before = place.engine.show(note.id)
    place.curation.edit(edits.rewrite, place.engine.cut, note.id, text="# Pasta\n\nIt wants a lot of water.")
    assert note.path in place.paths("pasta water", mode="keyword")
    place.curation.edit(edits.rewrite, place.engine.cut, note.id, title="Noodles")
    after = place.engine.document(note.id)
    assert (after.title, after.tags) == ("Noodles", ("food",))
    place.curation.undo()
    place.curation.undo()
    assert place.engine.show(note.id) == before
    assert note.path in place.paths("salt", mode="keyword")
    place.curation.redo()
    place.curation.redo()
    assert "lot of water" in place.engine.show(note.id).text
    assert place.wrong() == []


def test_what_has_a_file_or_a_source_is_not_rewritten_here(place: Place) -> None:
    stored = place.engine.ingest_text("Minutes.", source="meeting-7")
    for ref in ("gap", stored.id):
        with pytest.raises(UsageError, match="is not a note of the store"):
            place.curation.edit(edits.rewrite, place.engine.cut, ref, text="other")
    assert (place.root / "gap.md").read_text() == NOTES["gap.md"]


@pytest.mark.parametrize("text", ["", " \n"])
def test_a_note_needs_a_text(place: Place, tmp_path: Path, text: str) -> None:
    for room in (place.curation, inbox(place, tmp_path / "inbox")):
        with pytest.raises(UsageError, match="There is no text"):
            room.note_to_inbox(text) if room is not place.curation else place.note(text)
    assert not (tmp_path / "inbox").exists()
    (note,) = place.note("Something.").documents
    with pytest.raises(UsageError, match="The note has no text"):
        place.curation.edit(edits.rewrite, place.engine.cut, note.id, text=text)


def test_a_note_becomes_a_new_file_in_the_inbox_and_nothing_is_overwritten(place: Place) -> None:
    room = inbox(place, place.root / "inbox")
    room.note_to_inbox("Pasta wants salt.", title="Pasta / al dente", tags=["food"])
    room.note_to_inbox("Pasta wants pepper.", title="Pasta / al dente")
    first, second = (place.root / "inbox" / f"pasta-al-dente{n}.md" for n in ("", "-2"))
    assert first.read_text() == "# Pasta / al dente\n\nPasta wants salt.\n"
    assert second.read_text() == "# Pasta / al dente\n\nPasta wants pepper.\n"
    assert place.tags("inbox/pasta-al-dente.md") == ("food",)
    assert room.undo().what == "removed the note “Pasta / al dente”"
    assert second.exists()
    place.index()
    assert place.paths("pepper", mode="keyword") == set()
    assert [one.path for one in place.curation.trashed()] == ["inbox/pasta-al-dente-2.md"]


WORD = "Xylophagous"
TEXT = f"{WORD} beetles eat wood. " * 40


def test_nothing_is_left_but_what_backups_have(place: Place, tmp_path: Path) -> None:
    place.write("beetles.md", f"---\ntags: [insects]\n---\n{TEXT}")
    place.index()
    place.curation.edit(edits.tag, ["beetles"], ["wood"])
    place.engine.search(Request("beetles wood"))
    place.engine.analysis.run(["communities", "audit"])  # keeps terms
    home = tmp_path / "home"
    saved = place.engine.backup()
    assert traces(home, WORD)
    place.curation.edit(edits.trash, ["beetles"])
    before = place.curation.purge(dry_run=True)
    assert (len(before.documents), before.answers, before.done) == (1, 1, False)
    assert [one.path for one in place.curation.trashed()] == ["beetles.md"]
    purged = place.curation.purge()
    assert (purged.done, purged.vectors) == (True, 1)
    assert purged.bytes == len(f"---\ntags: [insects]\n---\n{TEXT}")
    assert purged.remains == (str(saved),)
    place.engine.store.checkpoint()
    assert traces(home, WORD) == set()
    assert not (home / "cache" / "analysis").exists()
    assert (place.root / "beetles.md").exists()
    assert place.wrong() == []


def test_its_edits_can_no_longer_be_undone_and_the_others_can(place: Place) -> None:
    with place.unfollowed():
        place.curation.edit(edits.tag, ["rice"], ["food"])
        place.curation.edit(edits.tag, ["rice", "gap"], ["both"])
        place.curation.edit(edits.trash, ["rice"])
        place.curation.edit(edits.link, "gap", "walks", "builds_on")
    place.curation.purge()
    assert place.curation.undo().what == "unlinked “gap” from “walks”"
    assert place.curation.undo().documents[0].path == "gap.md"
    assert place.tags("gap") == ("chains", "theory")
    assert not place.curation.undo().changed
    assert place.wrong() == []


def test_its_file_is_not_taken_up_again_before_it_changes(place: Place) -> None:
    place.curation.edit(edits.trash, ["rice"])
    place.curation.purge()
    place.index()
    assert place.paths("cooking rice patience", mode="keyword") == set()
    rows = {row.path: row.reason for row in place.engine.status(rows=True).rows}
    assert "purged" in rows["rice.md"]
    place.write("rice.md", "Basmati wants soaking.")
    place.index()
    assert place.paths("basmati soaking", mode="keyword") == {"rice.md"}
    assert place.wrong() == []
