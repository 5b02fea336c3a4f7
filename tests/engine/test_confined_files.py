"""Whatever opens a file of a followed folder finds nothing through a link, however new."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from ark_tui.domain.errors import ArkError, NotFound, UsageError
from ark_tui.domain.query import Request
from ark_tui.engine import Engine, health, indexing
from ark_tui.engine.services import Services
from ark_tui.retrieval.shown import stale
from ark_tui.store import documents
from tests.engine.conftest import Place

SECRET = "# Owls\n\nNobody has named this folder."


@pytest.fixture
def outside(place: Place) -> Path:
    """A folder beside the followed one, with a file of the same name, size and time."""
    inside = place.write("folder/owls.md", "# Owls\n\nOwls fly without a sound alright")
    place.index()
    outside = place.root.parent / "outside"
    outside.mkdir()
    known = inside.stat()
    (outside / "owls.md").write_text(SECRET.ljust(known.st_size))
    os.utime(outside / "owls.md", ns=(known.st_mtime_ns, known.st_mtime_ns))
    return outside


def swap(place: Place, outside: Path) -> None:
    (place.root / "folder").rename(place.root.parent / "kept")
    (place.root / "folder").symlink_to(outside)


def test_a_file_behind_a_link_is_stale_and_not_shown_as_it_is_now(place: Place, outside: Path) -> None:
    swap(place, outside)

    (hit,) = place.engine.search(Request("owls", mode="keyword")).hits
    assert hit.document.stale
    with pytest.raises(NotFound, match="Its file is gone"):
        place.engine.reading.present("folder/owls.md")
    assert [(one.path, one.state) for one in health.upkeep(place.engine).moved] == [
        ("folder/owls.md", "gone")
    ]


def test_a_stored_path_that_goes_up_tells_nothing_of_what_lies_there(place: Place, outside: Path) -> None:
    with place.engine.store.read() as lease:
        (found,) = documents.found(lease, [1]).values()
    known = (outside / "owls.md").stat()
    upward = replace(
        found, document=replace(found.document, path="../outside/owls.md"),
        size=known.st_size, mtime_ns=known.st_mtime_ns,
    )  # fmt: skip

    assert stale(upward)


def test_a_single_file_is_taken_up_from_where_it_lies_and_not_through_a_link(
    place: Place, outside: Path
) -> None:
    swap(place, outside)
    file = place.root / "folder/owls.md"

    with pytest.raises(UsageError, match="a link that leads out of its folder") as refused:
        indexing.ingest_file(place.engine, file)

    assert str(outside / "owls.md") in refused.value.hint
    assert place.paths("nobody named", mode="keyword") == []
    indexing.ingest_file(place.engine, outside / "owls.md")  # it may be named
    assert place.paths("nobody named", mode="keyword") == [str(outside / "owls.md")]


def test_a_single_file_that_cannot_be_looked_at_is_an_error_in_words(place: Place) -> None:
    with pytest.raises(ArkError, match="cannot be read: File name too long"):
        indexing.ingest_file(place.engine, place.root / ("n" * 300))


def test_what_an_agent_hands_in_is_opened_where_it_was_allowed(
    place: Place, outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    readable = indexing.readable

    def then_swapped(parts: Services, path: Path) -> tuple[Path, str]:
        found = readable(parts, path)
        swap(place, outside)
        return found

    monkeypatch.setattr(indexing, "readable", then_swapped)

    with pytest.raises(UsageError, match=r"folder/owls\.md cannot be read"):
        place.engine.collections.fill_from_file("mine", Path("folder/owls.md"))
    assert place.engine.collections.size("mine").chunks == 0
    with pytest.raises(ArkError, match="is not in a folder of this home"):
        indexing.ingest_file(place.engine, Path("folder/owls.md"), confined=True)
    assert place.paths("nobody named", mode="keyword") == []


@pytest.mark.parametrize("path", ["folder/owls.md", "../outside/owls.md", "~nobody-of-that-name/x", "a\0b"])
def test_an_agent_gets_no_file_from_outside(place: Place, outside: Path, path: str) -> None:
    swap(place, outside)

    with pytest.raises(UsageError, match="is not in a folder of this home"):
        place.engine.collections.fill_from_file("mine", Path(path))
    with pytest.raises(UsageError, match="is not in a folder of this home"):
        indexing.ingest_file(place.engine, Path(path), confined=True)


def test_a_note_is_not_written_through_a_link_below_a_followed_folder(place: Place, outside: Path) -> None:
    swap(place, outside)
    engine = Engine(replace(place.engine.settings, inbox=str(place.root / "folder")))

    with pytest.raises(ArkError, match="The note cannot be written"):
        engine.curation.note_to_inbox("Pasta wants salt.", title="Pasta")

    assert [file.name for file in outside.iterdir()] == ["owls.md"]


def test_a_note_whose_folder_is_away_makes_none_in_its_place(place: Place) -> None:
    place.write("owls.md", "Owls fly without a sound.")
    place.index()
    place.root.rename(place.root.parent / "unmounted")
    engine = Engine(replace(place.engine.settings, inbox=str(place.root / "inbox")))

    with pytest.raises(ArkError, match="No such file or directory"):
        engine.curation.note_to_inbox("Pasta wants salt.", title="Pasta")

    assert not place.root.exists()


def test_a_note_that_the_disk_does_not_take_leaves_no_file(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    engine = Engine(replace(place.engine.settings, inbox=str(place.root / "inbox")))

    with pytest.raises(ArkError, match="is full"):
        engine.curation.note_to_inbox("Pasta wants salt.", title="Pasta")

    assert list((place.root / "inbox").iterdir()) == []
