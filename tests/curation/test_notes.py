"""Notes: into the store or as a new file into the inbox, and other words for those of the store (T4)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ark_tui.domain.errors import UsageError
from ark_tui.engine import Engine
from ark_tui.engine.curation import Curation
from tests.curation.conftest import NOTES, Place


def inbox(place: Place, folder: Path | str) -> Curation:
    """The curation room of a home whose config names an inbox."""
    return Engine(replace(place.engine.settings, inbox=str(folder)), place.clock).curation


def test_a_note_goes_into_the_store_and_can_be_taken_back_and_made_again(place: Place) -> None:
    done = place.curation.note("Pasta wants salt.", tags=["food"])
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
    first = place.curation.note("Pasta wants salt.", title="Pasta")
    assert not place.curation.note("Pasta wants salt.", title="Pasta").changed
    place.curation.trash([first.documents[0].id])
    assert place.curation.note("Pasta wants salt.", title="Pasta").changed  # it is wanted again
    assert place.curation.trashed() == ()


def test_a_note_is_renamed_and_rewritten_and_is_as_before_after_undo(place: Place) -> None:
    (note,) = place.curation.note("# Pasta\n\nIt wants salt.", tags=["food"]).documents
    before = place.engine.show(note.id)
    place.curation.rewrite_note(note.id, text="# Pasta\n\nIt wants a lot of water.")
    assert note.path in place.paths("pasta water", mode="keyword")
    place.curation.rewrite_note(note.id, title="Noodles")
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
            place.curation.rewrite_note(ref, text="other")
    assert (place.root / "gap.md").read_text() == NOTES["gap.md"]


@pytest.mark.parametrize("text", ["", " \n"])
def test_a_note_needs_a_text(place: Place, tmp_path: Path, text: str) -> None:
    for room in (place.curation, inbox(place, tmp_path / "inbox")):
        with pytest.raises(UsageError, match="There is no text"):
            room.note_to_inbox(text) if room is not place.curation else room.note(text)
    assert not (tmp_path / "inbox").exists()
    (note,) = place.curation.note("Something.").documents
    with pytest.raises(UsageError, match="The note has no text"):
        place.curation.rewrite_note(note.id, text=text)


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
